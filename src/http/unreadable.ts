/**
 * Answers what never becomes a request: bytes that are not HTTP, headers that are too large or too slow, CONNECT, an
 * unknown `Expect`. Node would answer with a bare status or not at all; these replies have the usual error body.
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { openaiError } from '#adapters/common/envelope.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { STATUS_CODES } from '#base/node-http.ts';

/** What a reply needs besides the connection. */
interface RefusalOptions {
  readonly ids: Pick<IdSource, 'uuid'>;
  readonly clock: Clock;
}

/** How long a refused caller may take to close its side. */
const LINGER_MS = 5_000;

/**
 * Answers an error of the HTTP parser on the socket and ends it. While one of `replies` is due (its request is
 * complete or its headers are sent), the client would take the answer for that reply: the socket is destroyed.
 */
export function refuseUnreadable(
  error: Error,
  socket: Duplex,
  replies: readonly ServerResponse[],
  options: RefusalOptions,
): void {
  // It was answered already and goes on sending.
  if (socket.writableEnded) return;
  const code = 'code' in error ? String(error.code) : '';
  if (!socket.writable || code === 'ECONNRESET' || replies.some(isDue)) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[code] ?? [400, 'This is not a valid HTTP request.'];
  endWith(socket, { status, headers: '', fault: new Fault('invalid_request', { message }) }, options);
}

/** Answers CONNECT: the gateway is not a proxy. */
export function refuseTunnel(socket: Duplex, options: RefusalOptions): void {
  const fault = new Fault('method_not_allowed');
  endWith(socket, { status: fault.status, headers: 'allow: \r\n', fault }, options);
}

/** Answers a request whose `Expect` header asks for something other than 100-continue. */
export function refuseExpectation(response: ServerResponse, { ids }: RefusalOptions): void {
  const fault = new Fault('invalid_request', { message: 'The only supported value of Expect is 100-continue.' });
  const headers = { connection: 'close', 'content-type': JSON_TYPE, 'x-request-id': ids.uuid() };
  response.writeHead(417, headers).end(JSON.stringify(openaiError(fault)));
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Status and message by the code of the parser; every other code is 400. */
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of this request are over 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of this body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

function isDue(reply: ServerResponse): boolean {
  return !reply.writableFinished && (reply.headersSent || reply.req.complete);
}

interface SocketReply {
  readonly status: number;
  /** More header lines, each with its CRLF. */
  readonly headers: string;
  readonly fault: Fault;
}

/**
 * Sends the reply and closes. What still arrives is read and discarded, because closing with unread bytes can destroy
 * the reply before the caller reads it. A caller who does not close its side is cut off after LINGER_MS.
 */
function endWith(socket: Duplex, { status, headers, fault }: SocketReply, { ids, clock }: RefusalOptions): void {
  const cut = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
  socket.on('error', () => {
    // The caller has disconnected; nothing else was waited for.
  });
  socket.resume();
  const body = JSON.stringify(openaiError(fault));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `connection: close\r\ncontent-type: ${JSON_TYPE}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${ids.uuid()}\r\n${headers}\r\n${body}`,
  );
}
