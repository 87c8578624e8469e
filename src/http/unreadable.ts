/**
 * What never becomes a request: bytes that are no HTTP, a head that is too large or too slow, an expectation that nobody
 * meets. Node would answer it with a bare status; here it gets the error body of every other refusal.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { openaiError } from '#adapters/envelope.ts';
import { Fault } from '#base/fault.ts';

/** Answers an error of the parser over the bare connection, unless a reply has begun on it, and ends it. */
export function refuseUnreadable(
  error: Error,
  socket: Duplex,
  running: ServerResponse | null,
  requestId: string,
): void {
  const code = 'code' in error ? String(error.code) : '';
  const begun = running?.headersSent === true && !running.writableFinished;
  if (!socket.writable || code === 'ECONNRESET' || begun) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[code] ?? [400, 'This is no HTTP request that can be read.'];
  const body = bodyOf(message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      'connection: close\r\ncontent-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n\r\n${body}`,
  );
}

/** Answers a request whose `Expect` header asks for something other than 100-continue. */
export function refuseExpectation(response: ServerResponse, requestId: string): void {
  const headers = { connection: 'close', 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId };
  response.writeHead(417, headers).end(bodyOf('The only expectation that is met is 100-continue.'));
}

/** By the parser's code; everything else is a 400. */
const REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of this request is larger than the 16 KiB that are read.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunks of this body carry too many extensions.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

function bodyOf(message: string): string {
  return JSON.stringify(openaiError(new Fault('invalid_request', { message })));
}
