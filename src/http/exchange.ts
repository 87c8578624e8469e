/**
 * One request and its reply, as the handlers see it (`Call`) and as the server keeps it. It is made before anything is
 * known of the request and filled in as the checks pass; a handler runs after the last one.
 */
import assert from 'node:assert';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Principal } from '#access/principal.ts';
import type { FormCall, FormPart } from '#handlers/call.ts';

/** What a caller may name its own requests, so that both sides find them in their logs. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export class Exchange implements FormCall {
  readonly request: Request;
  readonly response: ServerResponse;
  /** The caller's x-request-id when it is a plain word, else one of ours. */
  readonly requestId: string;
  /** Without the query. */
  readonly path: string;
  /** Set when the operation is known. */
  operationId: string | null = null;
  params: Readonly<Record<string, string>> = {};
  /** Set when the body was read and found valid. */
  body: unknown = undefined;
  #form: AsyncIterable<FormPart> | null = null;
  #principal: Principal | null = null;
  #query: Readonly<Record<string, string>> | null = null;
  readonly #onGone: (() => void)[] = [];

  constructor(request: Request, response: ServerResponse, newRequestId: () => string) {
    this.request = request;
    this.response = response;
    this.path = request.path;
    const sent = request.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newRequestId();
    response.once('close', () => {
      if (this.gone) for (const run of this.#onGone.splice(0)) run();
    });
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get query(): Readonly<Record<string, string>> {
    this.#query ??= firstValues(this.request.url);
    return this.#query;
  }

  /** The form; only an operation that takes one has one. */
  get form(): AsyncIterable<FormPart> {
    assert(this.#form, 'an operation without a form asked for it');
    return this.#form;
  }

  set form(form: AsyncIterable<FormPart>) {
    this.#form = form;
  }

  /** The caller; only an operation that needs a key has one. */
  get principal(): Principal {
    assert(this.#principal, 'an open operation asked for its principal');
    return this.#principal;
  }

  set principal(principal: Principal) {
    this.#principal = principal;
  }

  /** The same, for what serves open and keyed operations alike. */
  get principalOrNull(): Principal | null {
    return this.#principal;
  }

  /** Whether the connection closed before the reply was written whole. */
  get gone(): boolean {
    return this.response.closed && !this.response.writableFinished;
  }

  /** Runs once when the reply is over, however it ended; at once when it is already. */
  onClosed(run: () => void): void {
    if (this.response.closed) run();
    else this.response.once('close', run);
  }

  onGone(run: () => void): void {
    // Not from inside this call: the caller has yet to keep what `run` works on.
    if (this.gone) queueMicrotask(run);
    else this.#onGone.push(run);
  }
}

function firstValues(url: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  const start = url.indexOf('?');
  if (start < 0) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) values[name] ??= value;
  return values;
}
