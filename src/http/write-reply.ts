/**
 * Writes replies; no other file writes to a response, apart from event streams. A JSON body is one string of known
 * length, so that headers and body are sent in one write. Large ones are compressed for readers who take that.
 */
import type { ServerResponse } from 'node:http';
import type { BytesReply, Headers, RawReply, Reply } from '#handlers/call.ts';
import { discardBody, hasUnreadBody } from './body.ts';
import type { Compressor } from './compression.ts';
import { isMessagesPath } from './contract.ts';
import { EventStream, eventStreamHeaders } from './event-stream.ts';
import type { RequestContext } from './request-context.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** How a reply is written. */
export interface ReplySettings {
  /** True while the process drains: the connection is not kept for another request. */
  readonly closeConnection: boolean;
  /** How many bytes of an unread body may still arrive. */
  readonly discardBytesMax: number;
  readonly compressor: Compressor;
  readonly unread: UnreadBytes;
}

/**
 * Writes `reply`, or opens its stream; resolves when everything but a stream is written. HEAD gets the headers alone.
 * Does nothing when the caller has disconnected. Rejects with what the reader of a reply's bytes threw.
 */
export async function writeReply(context: RequestContext, reply: Reply, settings: ReplySettings): Promise<void> {
  const { request } = context;
  if (context.gone) return;
  if (hasUnreadBody(request)) discardBody(request, settings.discardBytesMax);
  context.orderId = reply.headers?.['x-service-order-id'] ?? null;
  const headers = commonHeaders(context, settings);
  if ('open' in reply)
    openStream(context, { ...headers, ...eventStreamHeaders, ...reply.headers }, settings, reply.open);
  else if ('raw' in reply) {
    await writeWhole(context, { ...reply, headers: { ...headers, ...reply.headers } }, settings.compressor);
  } else if ('bytes' in reply) await writeBytes(context, { ...headers, ...reply.headers }, reply);
  else if (reply.json === undefined) writeNothing(context, reply.status, { ...headers, ...reply.headers });
  else {
    const json = { ...headers, 'content-type': 'application/json', ...reply.headers };
    const whole = { status: reply.status, headers: json, raw: JSON.stringify(reply.json) };
    await writeWhole(context, whole, settings.compressor);
    settings.unread.note(context.response);
  }
}

/** Nothing is awaited, and so delayed, unless a compressed body is. */
async function writeWhole(
  context: RequestContext,
  { status, headers, raw, release }: RawReply,
  compressor: Compressor,
): Promise<void> {
  const { request, response } = context;
  const compressed = status === 200 && isRead(request) ? await compressor.compress(request, raw) : null;
  if (compressed) release?.();
  else if (release) context.onClosed(release);
  if (context.gone) return;
  const body = compressed?.bytes ?? raw;
  const coded = compressed ? { ...headers, 'content-encoding': compressed.coding } : headers;
  response.writeHead(status, { ...coded, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function isRead({ method }: RequestContext['request']): boolean {
  return method === 'GET' || method === 'HEAD';
}

function writeNothing({ response }: RequestContext, status: number, headers: Headers): void {
  // With these statuses `content-length: 0` is not allowed either (RFC 9110, 8.6).
  const silent = status === 204 || status === 304;
  response.writeHead(status, silent ? headers : { ...headers, 'content-length': '0' });
  response.end();
}

/** Reads the bytes no faster than the caller does, and stops when the caller disconnects. */
async function writeBytes({ request, response }: RequestContext, headers: Headers, reply: BytesReply): Promise<void> {
  const begin = () => response.writeHead(reply.status, { ...headers, 'content-length': reply.length });
  let sent = 0;
  for await (const chunk of reply.bytes) {
    if (!response.headersSent) begin();
    if (request.method === 'HEAD' || response.destroyed) break;
    sent += chunk.length;
    if (!response.write(chunk)) await drained(response);
  }
  if (!response.headersSent) begin();
  // A response that ends before its declared length must not look complete.
  if (sent === reply.length || request.method === 'HEAD') response.end();
  else response.destroy();
}

/** Resolves when more may be written, or when the caller has disconnected. */
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

function openStream(
  { request, response }: RequestContext,
  headers: Headers,
  { unread }: ReplySettings,
  open: (out: EventStream) => void,
): void {
  response.writeHead(200, headers);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  open(new EventStream(response, unread));
}

/** The headers that a web page may read besides the common ones. */
const EXPOSED = [
  ...[
    'x-service-order-id',
    'idempotent-replayed',
    'x-request-id',
    'request-id',
    'retry-after',
    'x-should-retry',
    'etag',
  ],
  ...['x-price-valid-until', 'x-price-window-seconds', 'content-disposition'],
].join(', ');

/**
 * The headers of every reply. Keys are sent in headers, never in cookies, so any web page may read what its key allows.
 */
function commonHeaders(
  { path, request, requestId }: RequestContext,
  { closeConnection }: ReplySettings,
): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
  };
  // Also on those that are never compressed, and on 304: a cache must not mix up those that are.
  if (isRead(request)) headers.vary = 'accept-encoding';
  if (isMessagesPath(path)) headers['request-id'] = requestId;
  if (closeConnection) headers.connection = 'close';
  return headers;
}
