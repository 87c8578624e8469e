/** A gateway under check: its address, a key, a model, and how it is asked. Knows only HTTP. */
import assert from 'node:assert/strict';
import { type Clock, pause } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';

/** The gateway does not have what is checked, such as an operation of the market. */
export class Absent extends Error {}

/** How long an answer may take. */
const ANSWER_MS = 30_000;
/** How long all checks together may take: two minutes, less what the last ones need to end. */
const ALL_MS = 110_000;
const POLL_MS = 250;

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
  readonly clock: Clock;
  /** How long all checks together may take; two minutes when absent. */
  readonly withinMs?: number;
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

type HeaderLines = Readonly<Record<string, string>>;

/** Requests to one gateway. Answers that several checks use are requested once. */
export class Gateway {
  readonly model: string;
  readonly key: string;
  readonly ids: Pick<IdSource, 'uuid'>;
  /** The price limit of each request; null for none. */
  readonly priceLimit: number | null;
  readonly #base: string;
  readonly #headers: HeaderLines;
  readonly #clock: Clock;
  readonly #known = new Map<string, Promise<unknown>>();
  readonly #uploads: string[] = [];
  readonly #deadline: AbortSignal;

  constructor({ url, key, model, priceLimit, ids, clock, headers = {}, withinMs = ALL_MS }: GatewayOptions) {
    this.#deadline = AbortSignal.timeout(withinMs);
    this.#headers = headers;
    this.ids = ids;
    this.#clock = clock;
    this.#base = url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.key = key;
    this.model = model;
    this.priceLimit = priceLimit;
  }

  /** Whether the time for all checks is over: requests then end at once. */
  get isOver(): boolean {
    return this.#deadline.aborted;
  }

  /** The result of `ask`, which is called once for this name. */
  once<Known>(name: string, ask: () => Promise<Known>): Promise<Known> {
    const known = this.#known.get(name) ?? ask();
    this.#known.set(name, known);
    return known as Promise<Known>;
  }

  /** Asks until `isDone` returns true, for at most as long as an answer may take. Returns the last answer. */
  async until(ask: () => Promise<HttpAnswer>, isDone: (answer: HttpAnswer) => boolean): Promise<HttpAnswer> {
    for (let left = ANSWER_MS / POLL_MS; ; left--) {
      const answer = await ask();
      if (isDone(answer) || left <= 0) return answer;
      await pause(this.#clock, POLL_MS);
    }
  }

  /** Its levels. Throws Absent where there is no market. */
  market(): Promise<HttpAnswer> {
    return this.once('levels', async () => {
      const answer = await this.get('/v1/market/levels', { authorization: '' });
      if (answer.status !== 200 || !Array.isArray(answer.json?.levels)) throw new Absent('no market');
      return answer;
    });
  }

  get(path: string, headers: HeaderLines = {}): Promise<HttpAnswer> {
    return this.send('GET', path, headers);
  }

  /** Sends a body as JSON, or a text as it is. */
  post(path: string, body: Json | string, headers: HeaderLines = {}): Promise<HttpAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.send('POST', path, { 'content-type': 'application/json', ...headers }, text);
  }

  /** Any request. An empty header is not sent, not even the key; a redirect is not followed. */
  async send(method: string, path: string, headers: HeaderLines = {}, body?: string | FormData): Promise<HttpAnswer> {
    const reply = await this.#fetch(method, path, headers, body);
    const text = await reply.text().catch((error) => assert.fail(`the answer was cut off: ${error.cause ?? error}`));
    return { status: reply.status, headers: reply.headers, text, json: parsed(text) };
  }

  /** The first event of a stream that does not end, or the whole answer if it is no stream. */
  async firstEvent(path: string): Promise<HttpAnswer> {
    const reply = await this.#fetch('GET', path, { authorization: '' });
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of reply.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (/^data:.*\n\n/m.test(text)) break;
    }
    return { status: reply.status, headers: reply.headers, text, json: parsed(text) };
  }

  /** A small chat request with these fields. */
  chat(fields: Json = {}, headers: HeaderLines = {}): Promise<HttpAnswer> {
    return this.post('/v1/chat/completions', { ...this.#small('price_limit'), messages: SAY, ...fields }, headers);
  }

  /** A small text completion. */
  completion(fields: Json = {}): Promise<HttpAnswer> {
    const body = { ...this.#small('price_limit'), prompt: 'Once', ...fields };
    return this.present(this.post('/v1/completions', body));
  }

  /** A small response, which is not stored. */
  response(fields: Json = {}, headers: HeaderLines = {}): Promise<HttpAnswer> {
    const { max_tokens, ...small } = this.#small('price_limit');
    const body = { ...small, max_output_tokens: max_tokens, input: 'Say a few words.', store: false, ...fields };
    return this.present(this.post('/v1/responses', body, headers));
  }

  /** A small message. */
  message(fields: Json = {}, headers: HeaderLines = {}): Promise<HttpAnswer> {
    const body = { ...this.#small('max_price'), messages: SAY, ...fields };
    return this.present(this.post('/v1/messages', body, { 'x-api-key': this.key, ...ANTHROPIC, ...headers }));
  }

  /** A small upload for batches, of these lines. */
  async upload(lines: readonly (Json | string)[], purpose = 'batch'): Promise<HttpAnswer> {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const form = new FormData();
    form.append('purpose', purpose);
    form.append('file', new Blob([text]), 'checks.jsonl');
    const answer = await this.present(this.send('POST', '/v1/files', {}, form));
    if (typeof answer.json?.id === 'string') this.#uploads.push(answer.json.id);
    return answer;
  }

  /** Deletes what was uploaded, except what a batch still needs. */
  async cleanUp(): Promise<void> {
    for (const id of this.#uploads) await this.send('DELETE', `/v1/files/${id}`);
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

  #small(bid: 'price_limit' | 'max_price'): Json {
    return { model: this.model, max_tokens: 16, ...(this.priceLimit === null ? {} : { [bid]: this.priceLimit }) };
  }

  #fetch(method: string, path: string, headers: HeaderLines, body?: string | FormData): Promise<Response> {
    const all = { ...this.#headers, authorization: `Bearer ${this.key}`, ...headers };
    const sent = Object.entries(all).filter(([, value]) => value !== '');
    const signal = AbortSignal.any([this.#deadline, AbortSignal.timeout(ANSWER_MS)]);
    const init: RequestInit = { method, headers: Object.fromEntries(sent), redirect: 'manual', signal };
    return fetch(`${this.#base}${path}`, body === undefined ? init : { ...init, body });
  }
}

const ANTHROPIC = { 'anthropic-version': '2023-06-01' } as const;
/** The messages of a small chat. */
export const SAY = [{ role: 'user', content: 'Say a few words.' }] as const;

function parsed(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}
