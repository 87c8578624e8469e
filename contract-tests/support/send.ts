/**
 * How the contract tests send: supertest, on the address of a running gateway, over kept connections. What it would do
 * to an answer is switched off (parsing, redirects), it asks for a compressed answer only when a test does, and a body is
 * read as it comes, so that a test can watch a stream and disconnect.
 */
import assert from 'node:assert/strict';
import { type Agent, IncomingMessage } from 'node:http';
import supertest from 'supertest';
import type { RawAnswer } from './raw-answer.ts';
import { GIVE_UP_MS } from './waiting.ts';

/** A request as it goes over the wire. */
export interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for none. */
  readonly body: string | Uint8Array | null;
  readonly agent: Agent;
}

/** Sends a request; resolves when the head of its answer has come, and gives up when none comes within a minute. */
export function send({ url, method, path, headers, body, agent }: Outgoing): Promise<Arrival> {
  const { promise, resolve, reject } = Promise.withResolvers<Arrival>();
  const test = new supertest.Test(url, method, path).agent(agent).unset('accept-encoding').set(headers);
  if (body !== null) test.serialize((bytes) => bytes).send(typeof body === 'string' ? body : Buffer.from(body));
  const arrive = () => {
    assert(test.res instanceof IncomingMessage);
    const arrival = new Arrival(test.res);
    resolve(arrival);
    return arrival;
  };
  test.parse((_response, done) => {
    const end = (error: Error | null) => done(error, null);
    arrive()
      .whole()
      .then(() => end(null), end);
  });
  test.timeout({ response: GIVE_UP_MS }).end((error) => {
    if (error) reject(error);
    // Only bodies of these types are not parsed.
    else if (test.method === 'HEAD') arrive();
  });
  return promise;
}

/** An answer whose head has come and whose body may still be coming. */
export class Arrival {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #response: IncomingMessage;
  readonly #ended: Promise<void>;
  #text = '';

  /** Starts reading: superagent makes the body flow as soon as its parser returns. */
  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    this.#response = response;
    const decoder = new TextDecoder();
    response.on('data', (chunk: Buffer) => {
      this.#text += decoder.decode(chunk, { stream: true });
    });
    this.#ended = ended(response);
    // A caller that disconnects on purpose never asks how the body ended.
    this.#ended.catch(() => {});
  }

  /** The body so far. */
  get text(): string {
    return this.#text;
  }

  /** Reads to the end. */
  async whole(): Promise<RawAnswer> {
    await this.#ended;
    return { status: this.status, headers: this.headers, text: this.#text };
  }

  /** Closes the connection without reading on. */
  leave(): void {
    this.#response.destroy();
  }
}

/** Resolves when the body has come, decompressed. Its `end` is that of the decompression, which comes after `close`. */
function ended(response: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('end', resolve);
    response.on('error', reject);
    response.on('close', () => {
      if (!response.complete) reject(new Error('The connection closed before the answer was complete.'));
    });
  });
}
