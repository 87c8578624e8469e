/** A gateway under check: its address, a key, a model, and how it is asked. Knows only HTTP. */
import assert from 'node:assert/strict';
import type { IdSource } from '#base/id.ts';

/** One promise of the shapes, tried from outside. */
export interface Check {
  /** What must hold, as a sentence. Names do not change, so that tables can be compared. */
  readonly name: string;
  /** Resolves when it holds. Throws an AssertionError that says what was seen when it does not, and Absent. */
  readonly run: (gateway: Gateway) => Promise<unknown>;
}

/** Checks that belong together. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** The gateway does not have what is checked, such as an operation of the market. */
export class Absent extends Error {}

/** How long an answer may take. */
const ANSWER_MS = 60_000;

/** Where it is, and what may be used there. */
export interface GatewayOptions {
  /** With or without /v1. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** Sent as price_limit, max_price on messages; null to send none. */
  readonly priceLimit: number | null;
  /** Sent with every request, such as a router's own; none when absent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names what no request before was named, such as idempotency keys. */
  readonly ids: Pick<IdSource, 'uuid'>;
}

/** An answer, read whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly json: Json | undefined;
}

/** A JSON object whose fields a check asserts. */
export type Json = Record<string, unknown>;

/** Requests to one gateway. */
export class Gateway {
  readonly model: string;
  readonly key: string;
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #priceLimit: number | null;

  constructor({ url, key, model, priceLimit, ids, headers = {} }: GatewayOptions) {
    this.#headers = headers;
    this.ids = ids;
    this.#base = url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.key = key;
    this.model = model;
    this.#priceLimit = priceLimit;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.#ask(path, { headers: { ...this.#auth, ...headers } });
  }

  /** Sends a body as JSON, or a text as it is. */
  post(path: string, body: Json | string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.#ask(path, {
      method: 'POST',
      headers: { ...this.#auth, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** A small chat request with these fields. */
  chat(fields: Json = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    const messages = [{ role: 'user', content: 'Say a few words.' }];
    const body = { model: this.model, messages, max_tokens: 16, ...this.#bid('price_limit'), ...fields };
    return this.post('/v1/chat/completions', body, headers);
  }

  /** A small text completion. */
  completion(fields: Json = {}): Promise<HttpAnswer> {
    const body = { model: this.model, prompt: 'Once', max_tokens: 16, ...this.#bid('price_limit'), ...fields };
    return this.present(this.post('/v1/completions', body));
  }

  /** A small response, which is not stored. */
  response(fields: Json = {}): Promise<HttpAnswer> {
    const request = { input: 'Say a few words.', max_output_tokens: 16, store: false };
    return this.present(
      this.post('/v1/responses', { model: this.model, ...request, ...this.#bid('price_limit'), ...fields }),
    );
  }

  /** A small message. */
  message(fields: Json = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    const messages = [{ role: 'user', content: 'Say a few words.' }];
    const body = { model: this.model, messages, max_tokens: 16, ...this.#bid('max_price'), ...fields };
    return this.present(this.post('/v1/messages', body, { 'x-api-key': this.key, ...ANTHROPIC, ...headers }));
  }

  /** The answer, if the gateway has this operation. Throws Absent for the 404 or 405 of an unknown address. */
  async present(asked: Promise<HttpAnswer>): Promise<HttpAnswer> {
    const answer = await asked;
    const { error } = answer.json ?? {};
    const isOfModel = /model/i.test(JSON.stringify(error ?? ''));
    if (answer.status === 405 || answer.status === 501 || (answer.status === 404 && !isOfModel))
      throw new Absent('not there');
    return answer;
  }

  get #auth() {
    return { ...this.#headers, authorization: `Bearer ${this.key}` };
  }

  #bid(name: 'price_limit' | 'max_price'): Json {
    return this.#priceLimit === null ? {} : { [name]: this.#priceLimit };
  }

  async #ask(path: string, init: RequestInit): Promise<HttpAnswer> {
    const reply = await fetch(`${this.#base}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await reply.text().catch((error) => assert.fail(`the answer was cut off: ${error.cause ?? error}`));
    return { status: reply.status, headers: reply.headers, text, json: parsed(text) };
  }
}

const ANTHROPIC = { 'anthropic-version': '2023-06-01' } as const;

/** The JSON of an answer with this status. */
export function jsonWith(answer: HttpAnswer, status: number): Json {
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text.slice(0, 200)}`);
  assert.ok(answer.json, `the body is no JSON object: ${answer.text.slice(0, 200)}`);
  return answer.json;
}

/** A field that is an object. */
export function objectIn(json: unknown, name: string): Json {
  const value = (json as Json | undefined)?.[name];
  assert.ok(typeof value === 'object' && value !== null, `${name} is ${JSON.stringify(value)}, not an object`);
  return value as Json;
}

/** The first item of a field that is a list. */
export function firstOf(json: Json, name: string): Json {
  const value = json[name];
  assert.ok(Array.isArray(value) && value.length > 0, `${name} is ${JSON.stringify(value)}, not a list with items`);
  return value[0] as Json;
}

/** A field that is a number from 0. */
export function countIn(json: Json, name: string): number {
  const value = json[name];
  assert.ok(typeof value === 'number' && value >= 0, `${name} is ${JSON.stringify(value)}, not a number from 0`);
  return value;
}

/** The text of a stream with status 200. */
export function streamOf({ status, headers, text }: HttpAnswer): string {
  assert.equal(status, 200, `${status} instead of 200: ${text.slice(0, 200)}`);
  const type = headers.get('content-type') ?? 'none';
  assert.match(type, /^text\/event-stream/, `the content type of a stream is ${type}`);
  return text;
}

function parsed(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}
