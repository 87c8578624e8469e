/**
 * Writes a reply: the one place where bytes of an answer leave. A JSON body is one string with its length, so that head
 * and body leave in one write.
 */
import type { ServerResponse } from 'node:http';
import type { BytesReply, Headers, Reply } from '#handlers/call.ts';
import { announcesBody, discardBody } from './body.ts';
import { isMessagesPath } from './contract.ts';
import { EventStream, eventStreamHeaders } from './event-stream.ts';
import type { Exchange } from './exchange.ts';

/** What a reply needs besides itself. */
export interface ReplySettings {
  /** True while the process drains: connections are not kept for another request. */
  readonly closeConnection: boolean;
  /** How much of a body that nobody reads may still come in. */
  readonly discardBytesMax: number;
}

/**
 * Writes `reply` whole, or opens its stream; resolves when everything but a stream is written. A HEAD request gets the
 * head alone. Does nothing for a caller who is gone. Rejects with what reading the bytes of a reply threw.
 */
export async function writeReply(exchange: Exchange, reply: Reply, settings: ReplySettings): Promise<void> {
  const { request } = exchange;
  if (exchange.gone) return;
  if (!request.complete && announcesBody(request)) discardBody(request, settings.discardBytesMax);
  const headers = standingHeaders(exchange, settings);
  if ('open' in reply) openStream(exchange, { ...headers, ...eventStreamHeaders, ...reply.headers }, reply.open);
  else if ('raw' in reply) {
    if (reply.release) exchange.response.once('close', reply.release);
    writeWhole(exchange, reply.status, { ...headers, ...reply.headers }, reply.raw);
  } else if ('bytes' in reply) await writeBytes(exchange, { ...headers, ...reply.headers }, reply);
  else if (reply.json === undefined) writeNothing(exchange, reply.status, { ...headers, ...reply.headers });
  else {
    const json = { 'content-type': 'application/json' };
    writeWhole(exchange, reply.status, { ...headers, ...json, ...reply.headers }, JSON.stringify(reply.json));
  }
}

function writeWhole(
  { request, response }: Exchange,
  status: number,
  headers: Headers,
  body: string | Uint8Array,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function writeNothing({ response }: Exchange, status: number, headers: Headers): void {
  // These two may not even say that nothing follows (RFC 9110, 8.6).
  const silent = status === 204 || status === 304;
  response.writeHead(status, silent ? headers : { ...headers, 'content-length': '0' });
  response.end();
}

/** A caller who reads slowly slows the reading down, and one who leaves ends it. */
async function writeBytes({ request, response }: Exchange, headers: Headers, reply: BytesReply): Promise<void> {
  const begin = () => response.writeHead(reply.status, { ...headers, 'content-length': reply.length });
  let sent = 0;
  for await (const chunk of reply.bytes) {
    if (!response.headersSent) begin();
    if (request.method === 'HEAD' || response.destroyed) break;
    sent += chunk.length;
    if (!response.write(chunk)) await drained(response);
  }
  if (!response.headersSent) begin();
  // An answer that ends before its declared length must not look whole.
  if (sent === reply.length || request.method === 'HEAD') response.end();
  else response.destroy();
}

/** Resolves when more may be written, or when nobody is there to read it. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      response.off('drain', over).off('close', over);
      resolve();
    };
    response.on('drain', over).on('close', over);
  });
}

function openStream({ request, response }: Exchange, headers: Headers, open: (out: EventStream) => void): void {
  response.writeHead(200, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  open(new EventStream(response));
}

/** What a web page may read beside the common headers. */
const EXPOSED = [
  ...['x-service-order-id', 'x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'etag'],
  ...['x-price-valid-until', 'x-price-window-seconds', 'content-disposition'],
].join(', ');

/**
 * Headers of every answer. Keys travel in headers and never in cookies, so any web page may read what it has a key for.
 */
function standingHeaders({ path, requestId }: Exchange, { closeConnection }: ReplySettings): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
  };
  if (isMessagesPath(path)) headers['request-id'] = requestId;
  if (closeConnection) headers.connection = 'close';
  return headers;
}
