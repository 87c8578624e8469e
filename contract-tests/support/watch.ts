/**
 * Watches every reply that a gateway of this process writes, whoever asked: the tests' client, an official one, a bare
 * socket, a client in another language. Each is held against the document as it stands on the wire, and what it proves
 * is recorded. Only what never becomes a request (src/http/unreadable.ts) passes by unseen: that is no operation's
 * answer.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contract } from '#http/contract.ts';
import { problemWith, type RawAnswer } from './conformance.ts';
import { operationAt, problemWithNoOperation } from './no-operation.ts';
import { keptBy, mediaTypeOf } from './promises.ts';
import { record, type Sighting, type TestPlace } from './seen.ts';

/** Which gateway to watch, and for whom. */
export interface Watch {
  /** Its port; absent for every server of the process. */
  readonly port?: number;
  /** Its operations, where it serves them. */
  readonly operations: Contract['operations'];
  /** Who asks at the moment. */
  readonly asker: () => TestPlace;
  /** Takes what was seen; the record of the run unless given. */
  readonly record?: (sightings: readonly Sighting[]) => void;
}

/** Begins to watch. The list that it gives grows by a sentence for each reply that breaks the document. */
export function watchReplies(watch: Watch): readonly string[] {
  const problems: string[] = [];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (watch.port !== undefined && request.socket.localPort !== watch.port) return;
    // Express changes the address as it goes.
    const { method = 'GET', url = '/' } = request;
    const path = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/, '') || '/';
    const place = watch.asker();
    const text = bodyOf(response);
    response.once('close', () => {
      if (!response.headersSent) return;
      const problem = judge(watch, { method, path, place }, response, text());
      if (problem) problems.push(problem);
    });
  });
  return problems;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly place: TestPlace;
}

/** Records what a reply kept or broke; tells what it broke, or null. */
function judge(
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

/** What is written of the body, as it is written; a stream may still be open when somebody asks. */
function bodyOf(response: ServerResponse): () => string {
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
  return () => Buffer.concat(chunks).toString();
}

/** The head as it left, by lower-case names: Node adds headers of its own to those that were set. */
function headersOf(response: ServerResponse): Record<string, string> {
  const head = '_header' in response ? String(response._header) : '';
  const lines = head.trimEnd().split('\r\n').slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

/** An answer that was cut off, up to its last whole frame; the torn body of any other answer says nothing. */
function withoutTornEnd(answer: RawAnswer): RawAnswer {
  const streams = mediaTypeOf(answer.headers) === 'text/event-stream';
  return { ...answer, text: streams ? answer.text.slice(0, answer.text.lastIndexOf('\n\n') + 2) : '' };
}
