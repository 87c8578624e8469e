/**
 * The tests' only way to the server: HTTP by operationId. Each answer is checked against the document before a test can
 * read it, so a test cannot pass on an answer that breaks the contract.
 */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { problemWith } from './conformance.ts';
import { type OperationId, operations } from './operations.ts';
import { Reply } from './reply.ts';
import { type Arrival, send } from './send.ts';
import { type Frame, parseStream } from './sse.ts';
import { eventually } from './waiting.ts';

/** The parts of a request; all are optional. */
export interface RequestOptions {
  /** Values of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, by default as application/json; wins over `body`. */
  readonly raw?: string | Uint8Array;
  /** The API key; null sends none. Default: the client's own. */
  readonly key?: string | null;
}

/** A client of one server with one key. */
export class Client {
  readonly url: string;
  readonly #key: string | null;
  readonly #agent: Agent;

  constructor(url: string, key: string | null = null, agent = new Agent({ keepAlive: true })) {
    this.url = url;
    this.#key = key;
    this.#agent = agent;
  }

  /** The same server with another key. */
  as(key: string | null): Client {
    return new Client(this.url, key, this.#agent);
  }

  /** Sends a request and reads its answer to the end. */
  async call<Id extends OperationId>(id: Id, options: RequestOptions = {}): Promise<Reply<Id>> {
    return (await this.open(id, options)).end();
  }

  /** Sends a request; resolves when the head of its answer has come. */
  async open<Id extends OperationId>(id: Id, options: RequestOptions = {}): Promise<LiveReply<Id>> {
    const { method, path } = operations[id];
    const address = fill(path, options.params ?? {}) + search(options.query ?? {});
    return new LiveReply(id, method, await this.request(method, address, options));
  }

  /** Sends a request to any address with any method; the answer is not checked against the document. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Arrival> {
    const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
    const key = options.key === undefined ? this.#key : options.key;
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    };
    return send({ url: this.url, method, path, headers, body, agent: this.#agent });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** An answer of an operation, whose head has come and whose body may still be coming. */
export class LiveReply<Id extends OperationId> {
  readonly #id: Id;
  readonly #method: string;
  readonly #arrival: Arrival;

  constructor(id: Id, method: string, arrival: Arrival) {
    this.#id = id;
    this.#method = method;
    this.#arrival = arrival;
  }

  get status(): number {
    return this.#arrival.status;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#arrival.headers;
  }

  /** The body so far. */
  get text(): string {
    return this.#arrival.text;
  }

  get frames(): readonly Frame[] {
    return parseStream(this.text).frames;
  }

  get comments(): readonly string[] {
    return parseStream(this.text).comments;
  }

  /** Resolves once the answer so far satisfies `condition`. */
  async until(condition: (reply: LiveReply<Id>) => boolean): Promise<void> {
    await eventually(() => condition(this), `${this.#id}: the awaited part of the answer`);
  }

  /** Reads to the end. Fails when the answer breaks the document. */
  async end(): Promise<Reply<Id>> {
    const answer = await this.#arrival.whole();
    const problem = problemWith(this.#id, this.#method, answer);
    assert.equal(problem, null, problem ?? '');
    return new Reply(this.#id, answer);
  }

  /** Closes the connection without reading on. */
  leave(): void {
    this.#arrival.leave();
  }
}

function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
}

function search(query: Readonly<Record<string, string | number>>): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text && `?${text}`;
}
