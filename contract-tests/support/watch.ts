/**
 * Watches every reply that a gateway of this process writes to any caller: the tests' client, an official one, a bare
 * socket, a client in another language. Each is checked against the document as it is on the wire, and what it proves
 * is recorded. Only the reply to what never becomes a request (src/http/server.ts) is not seen: it belongs to no
 * operation.
 */
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { problemWith } from './conformance.ts';
import { keptBy } from './documented-promises.ts';
import { operationAt, problemWithNoOperation } from './no-operation.ts';
import type { Addresses } from './operations.ts';
import { mediaTypeOf, type RawAnswer } from './raw-answer.ts';
import { type RecordLine, record, type TestPlace } from './run-record.ts';

/** Which gateway to watch, and for which test. */
export interface Watch {
  /** Its port; absent for every server of the process. */
  readonly port?: number;
  /** Its operations, where it serves them. */
  readonly operations: Addresses;
  /** The test that is running. */
  readonly asker: () => TestPlace;
  /** Receives what was seen. Default: the record of the run. */
  readonly record?: (entries: readonly RecordLine[]) => void;
}

const REQUESTS = 'http.server.request.start';
/** By port. A later server of the same process may get the port of one that was closed. */
const watchers = new Map<number | undefined, ChannelListener>();

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
}

/**
 * Watches the server that answers first at the port, and no later one there: the port of a closed gateway may become
 * that of a pod. Replaces an earlier watcher of the port. The returned list grows by a sentence for each reply that
 * breaks the document.
 */
export function watchReplies(watch: Watch): readonly string[] {
  const problems: string[] = [];
  let watched: Server | null = null;
  const watcher: ChannelListener = (message) => {
    const { request, response, server } = message as Exchange;
    if (watch.port !== undefined) {
      if (request.socket.localPort !== watch.port) return;
      watched ??= server;
      if (server !== watched) return;
    }
    // Express changes the address as it goes.
    const { method = 'GET', url = '/' } = request;
    const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '') || '/';
    const place = watch.asker();
    const body = bodyOf(response);
    response.once('close', () => {
      if (!response.headersSent) return;
      const problem = check(watch, { method, path, place }, response, textOf(response, body()));
      if (problem) problems.push(problem);
    });
  };
  const former = watchers.get(watch.port);
  if (former) unsubscribe(REQUESTS, former);
  watchers.set(watch.port, watcher);
  subscribe(REQUESTS, watcher);
  return problems;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly place: TestPlace;
}

/** Records what a reply kept or broke; returns what it broke, or null. */
function check(
  { operations, record: note = record }: Watch,
  { method, path, place }: Asked,
  response: ServerResponse,
  text: string,
): string | null {
  const id = operationAt(operations, method, path);
  const answer = { status: response.statusCode, headers: headersOf(response), text };
  if (!id) {
    const problem = problemWithNoOperation(operations, method, path, answer);
    if (problem) note([{ problem: `${method} ${path} ${problem}`, ...place }]);
    return problem;
  }
  const sound = response.writableFinished ? answer : withoutTornEnd(answer);
  const isTorn = sound.text === '' && text !== '';
  const problem = problemWith(id, isTorn ? 'head' : method, sound);
  if (problem) note([{ problem: `${method} ${path}: ${problem}`, ...place }]);
  else note(keptBy(id, sound).map((kept) => ({ kept, ...place })));
  return problem;
}

/** The body as far as it has been written; a stream may still be open when this is read. */
function bodyOf(response: ServerResponse): () => Buffer {
  const chunks: Buffer[] = [];
  for (const name of ['write', 'end'] as const) {
    const original = response[name];
    const watched = (...args: unknown[]) => {
      const [chunk] = args;
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return Reflect.apply(original, response, args);
    };
    Object.defineProperty(response, name, { value: watched });
  }
  return () => Buffer.concat(chunks);
}

/** The text as it was before a compression; a compressed body is written whole or not at all. */
function textOf(response: ServerResponse, body: Buffer): string {
  const coding = headersOf(response)['content-encoding'];
  if (coding === undefined || body.length === 0) return body.toString();
  return (coding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString();
}

/** The head as it was sent, by lower-case names: Node adds headers to those that were set. */
function headersOf(response: ServerResponse): Record<string, string> {
  const head = '_header' in response ? String(response._header) : '';
  const lines = head.trimEnd().split('\r\n').slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

/** An interrupted stream up to its last whole frame; the partial body of any other answer proves nothing. */
function withoutTornEnd(answer: RawAnswer): RawAnswer {
  const streams = mediaTypeOf(answer.headers) === 'text/event-stream';
  return { ...answer, text: streams ? answer.text.slice(0, answer.text.lastIndexOf('\n\n') + 2) : '' };
}
