/**
 * What never becomes a request: bytes that are no HTTP, a head that is too large or too slow, a tunnel, an expectation
 * that nobody meets. Node would answer with a bare status or not at all; here it gets the error body of every refusal.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { openaiError } from '#adapters/envelope.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';

/** What a refusal needs besides the connection. */
export interface RefusalParts {
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
}

/** How long a refused caller may take to hang up. */
const LINGER_MS = 5_000;

/**
 * Answers an error of the parser over the bare connection and ends it. While one of `replies` is due on it, to a request
 * that was read whole or with its head already sent, the answer would be taken for that one: the connection is cut.
 */
export function refuseUnreadable(
  error: Error,
  socket: Duplex,
  replies: readonly ServerResponse[],
  parts: RefusalParts,
): void {
  // It was told already, and goes on.
  if (socket.writableEnded) return;
  const code = 'code' in error ? String(error.code) : '';
  if (!socket.writable || code === 'ECONNRESET' || replies.some(isDue)) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[code] ?? [400, 'This is no HTTP request that can be read.'];
  endWith(socket, { status, headers: '', fault: new Fault('invalid_request', { message }) }, parts);
}

/** Answers CONNECT: this is no proxy. */
export function refuseTunnel(socket: Duplex, parts: RefusalParts): void {
  const fault = new Fault('method_not_allowed');
  endWith(socket, { status: fault.status, headers: 'allow: \r\n', fault }, parts);
}

/** Answers a request whose `Expect` header asks for something other than 100-continue. */
export function refuseExpectation(response: ServerResponse, { ids }: RefusalParts): void {
  const fault = new Fault('invalid_request', { message: 'The only expectation that is met is 100-continue.' });
  const headers = { connection: 'close', 'content-type': JSON_TYPE, 'x-request-id': ids.uuid() };
  response.writeHead(417, headers).end(JSON.stringify(openaiError(fault)));
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** By the parser's code; everything else is a 400. */
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of this request is larger than the 16 KiB that are read.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunks of this body carry too many extensions.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

function isDue(reply: ServerResponse): boolean {
  return !reply.writableFinished && (reply.headersSent || reply.req.complete);
}

interface BareAnswer {
  readonly status: number;
  /** Further header lines, each with its end. */
  readonly headers: string;
  readonly fault: Fault;
}

/**
 * Says so and hangs up. What still arrives is read and thrown away, because to close over unread bytes can take the
 * answer from the caller; one who does not hang up in turn is cut off.
 */
function endWith(socket: Duplex, { status, headers, fault }: BareAnswer, { ids, clock }: RefusalParts): void {
  const cut = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
  socket.on('error', () => {
    // The caller is gone, which is all that was left to wait for.
  });
  socket.resume();
  const body = JSON.stringify(openaiError(fault));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `connection: close\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${ids.uuid()}\r\n${headers}\r\n${body}`,
  );
}
