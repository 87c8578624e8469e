/**
 * The tests' only way to the server: HTTP by operationId. Each answer is held against the document before a
 * test may look at it, so a test cannot pass on an answer that breaks the contract.
 */
import assert from 'node:assert/strict';
import { Agent, type Dispatcher } from 'undici';
import { type OperationId, operations } from '#generated/operations.ts';
import { problemWith } from './conformance.ts';
import { Reply } from './reply.ts';
import { type Frame, parseStream } from './sse.ts';
import { eventually } from './waiting.ts';

/** What a request carries; everything is optional. */
export interface RequestParts {
  /** Values of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as application/json unless the headers say otherwise; wins over `body`. */
  readonly raw?: string | Uint8Array;
  /** The API key; null sends none. The client's own when absent. */
  readonly key?: string | null;
}

/** Talks to one server with one key. */
export class Client {
  readonly url: string;
  readonly #key: string | null;
  readonly #agent: Agent;

  constructor(url: string, key: string | null = null, agent = new Agent({ pipelining: 1 })) {
    this.url = url;
    this.#key = key;
    this.#agent = agent;
  }

  /** The same server with another key. */
  as(key: string | null): Client {
    return new Client(this.url, key, this.#agent);
  }

  /** Sends a request and reads its answer to the end. */
  async call<Id extends OperationId>(id: Id, parts: RequestParts = {}): Promise<Reply<Id>> {
    return (await this.open(id, parts)).end();
  }

  /** Sends a request; resolves when the head of its answer has come. */
  async open<Id extends OperationId>(id: Id, parts: RequestParts = {}): Promise<LiveReply<Id>> {
    const { method, path } = operations[id];
    const answer = await this.request(method, fill(path, parts.params ?? {}) + search(parts.query ?? {}), parts);
    return new LiveReply(id, method, answer);
  }

  /** Sends a request to any address with any method; what comes back is not held against the document. */
  async request(method: string, path: string, parts: RequestParts = {}): Promise<Dispatcher.ResponseData> {
    const body = parts.raw ?? (parts.body === undefined ? null : JSON.stringify(parts.body));
    const key = parts.key === undefined ? this.#key : parts.key;
    return this.#agent.request({
      origin: this.url,
      path,
      method: method.toUpperCase() as Dispatcher.HttpMethod,
      body,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...parts.headers,
      },
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** An answer whose head has come and whose body may still be coming. */
export class LiveReply<Id extends OperationId> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #id: Id;
  readonly #method: string;
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #ended: Promise<void>;
  #text = '';

  constructor(id: Id, method: string, { statusCode, headers, body }: Dispatcher.ResponseData) {
    this.#id = id;
    this.#method = method;
    this.#body = body;
    this.status = statusCode;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.#ended = this.#read();
    // A caller that leaves on purpose never looks at how the body ended.
    this.#ended.catch(() => {});
  }

  /** What has come of the body. */
  get text(): string {
    return this.#text;
  }

  get frames(): readonly Frame[] {
    return parseStream(this.#text).frames;
  }

  get comments(): readonly string[] {
    return parseStream(this.#text).comments;
  }

  /** Resolves once what has come satisfies `condition`. */
  async until(condition: (reply: LiveReply<Id>) => boolean): Promise<void> {
    await eventually(() => condition(this), `${this.#id}: the awaited part of the answer`);
  }

  /** Reads to the end. Fails when the answer breaks the document. */
  async end(): Promise<Reply<Id>> {
    await this.#ended;
    const answer = { status: this.status, headers: this.headers, text: this.#text };
    const problem = problemWith(this.#id, this.#method, answer);
    assert.equal(problem, null, problem ?? '');
    return new Reply(this.#id, answer);
  }

  /** Closes the connection without reading on. */
  leave(): void {
    this.#body.destroy();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#body) this.#text += decoder.decode(chunk, { stream: true });
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
