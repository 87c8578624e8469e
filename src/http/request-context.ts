/**
 * One request and its response, as handlers see it (`AnyCall`) and as the server uses it. It is created before anything
 * is known about the request and filled in as checks pass; the handler runs after the last check.
 */
import assert from 'node:assert';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Principal } from '#access/principal.ts';
import { addressSubject } from '#access/request-rates.ts';
import type { FaultCode } from '#base/fault.ts';
import type { AnyCall, FormPart } from '#contract/call.ts';
import type { QueryTexts } from '#contract/query.ts';
import type { Traces } from '#observe/traces/traces.ts';
import { type TraceContext, traceContextOf } from './trace-context.ts';

/** The ids that a caller may give its requests, so that both sides find them in their logs. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const NO_QUERY = {};

export class RequestContext implements AnyCall {
  readonly request: Request;
  readonly response: ServerResponse;
  /** The caller's x-request-id when it matches REQUEST_ID, otherwise a new one. */
  readonly requestId: string;
  /** Without the query. */
  readonly path: string;
  /** Set once the operation is known. */
  operationId: string | null = null;
  params: Readonly<Record<string, string>> = {};
  /** Set once the body is read. The handler runs only when it is valid. */
  body: unknown = undefined;
  /** Whether the body needs no validation: another thread has checked it, or the document does not describe it. */
  bodyChecked = false;
  /** Empty for an operation without parameters in its query. */
  query: unknown = NO_QUERY;
  /** The order in the reply; null until the reply is written, and for a reply without one. */
  orderId: string | null = null;
  /** The fault that it was answered with; null for none. */
  fault: FaultCode | null = null;
  /** Bytes of the reply's body, before any compression, that were handed to the connection. */
  writtenBytes = 0;
  /** Null where no traces are kept. */
  traced: ReturnType<Traces['begun']> | null = null;
  #form: AsyncIterable<FormPart> | null = null;
  #principal: Principal | null = null;
  readonly #onGone: (() => void)[] = [];
  readonly #onClosed: (() => void)[] = [];
  #onBodyDropped: (() => void) | null = null;

  constructor(request: Request, response: ServerResponse, newRequestId: () => string) {
    this.request = request;
    this.response = response;
    this.path = pathOf(request.url);
    const sent = request.headers['x-request-id'];
    this.requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newRequestId();
    // One listener for all that follows the end: each costs more than what most of them do.
    response.on('close', () => {
      if (this.gone) for (const run of this.#onGone.splice(0)) run();
      for (const run of this.#onClosed.splice(0)) run();
    });
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** The caller's trace, or the gateway's own; null for none. */
  get traceContext(): TraceContext | null {
    return this.traced ? this.traced.trace.context : traceContextOf(this.headers);
  }

  get trace(): AnyCall['trace'] {
    const { requestId, traced } = this;
    return traced ? { requestId, ...traced.trace } : { requestId, context: traceContextOf(this.headers) };
  }

  get address(): string {
    return addressSubject(this.request.ip);
  }

  get headersOnly(): boolean {
    return this.request.method === 'HEAD';
  }

  get queryTexts(): QueryTexts {
    return firstValues(this.request.url);
  }

  /** The form; set only for operations that take one. */
  get form(): AsyncIterable<FormPart> {
    assert(this.#form, 'an operation without a form read it');
    return this.#form;
  }

  set form(form: AsyncIterable<FormPart>) {
    this.#form = form;
  }

  /** The caller; set only for operations that need a key. */
  get principal(): Principal {
    assert(this.#principal, 'an operation without a key read the principal');
    return this.#principal;
  }

  set principal(principal: Principal) {
    this.#principal = principal;
  }

  /** The same; null for operations that need no key. */
  get principalOrNull(): Principal | null {
    return this.#principal;
  }

  /** Whether the connection closed before the reply was complete. */
  get gone(): boolean {
    return this.response.closed && !this.response.writableFinished;
  }

  /** Calls `run` once when the reply has ended in whatever way, or is sent whole; at once when it already has. */
  onClosed(run: () => void): void {
    if (this.response.closed) run();
    else this.#onClosed.push(run);
  }

  /** The whole reply is sent; its connection may stay open for a while, and nothing waits for that. */
  replied(): void {
    this.#onGone.length = 0;
    for (const run of this.#onClosed.splice(0)) run();
  }

  /** Calls `run` once when the handler drops the body, or when the reply has ended. */
  onBodyDropped(run: () => void): void {
    this.#onBodyDropped = run;
    this.onClosed(() => this.dropBody());
  }

  dropBody(): void {
    this.body = undefined;
    this.#onBodyDropped?.();
    this.#onBodyDropped = null;
  }

  onSent(run: (bytes: number) => void): void {
    this.onClosed(() => {
      if (this.gone) run(this.writtenBytes);
      else run(this.fault === null ? Number.POSITIVE_INFINITY : 0);
    });
  }

  onGone(run: () => void): void {
    // Not during this call: the code that calls may not have stored yet what `run` uses.
    if (this.gone) queueMicrotask(run);
    else this.#onGone.push(run);
  }
}

/** The path of a target, without its query. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

function firstValues(url: string): QueryTexts {
  const values: Record<string, string> = Object.create(null);
  const start = url.indexOf('?');
  if (start < 0) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) values[name] ??= value;
  return values;
}
