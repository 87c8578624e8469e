/**
 * Writes replies; no other file writes to a response, apart from event streams. A JSON body is one string of known
 * length, so that headers and body are sent in one write. Large ones are compressed for readers who take that.
 */

import { systemClock } from '#base/clock.ts';
import type { BytesReply, Headers, RawReply, Reply, StreamReply } from '#contract/reply.ts';
import { discardBody, hasUnreadBody, restOfBody } from './body.ts';
import type { Compressor } from './compression.ts';
import { isMessagesPath } from './contract.ts';
import { EventStream, eventStreamHeaders, type UnreadBytes, writeFrames } from './event-stream.ts';
import type { RequestContext } from './request-context.ts';

/** A body is written in pieces of this size when it is larger and not compressed. */
const PIECE_BYTES = 64 * 1024;

/** How a reply is written. */
export interface ReplySettings {
  /** True while the process drains: the connection is not kept for another request. */
  readonly closeConnection: boolean;
  /** How many bytes of an unread body may still arrive. */
  readonly discardBytesMax: number;
  readonly compressor: Compressor;
  readonly unread: UnreadBytes;
  /** Headers that the reply has unless it sets them itself. */
  readonly headers: Headers;
}

/**
 * Writes `reply`, or opens its stream. What it returns resolves when everything but a stream is written; nothing is
 * returned, and nothing awaited, where that is already so. HEAD gets the headers alone. Does nothing when the caller has
 * disconnected. Rejects with what the reader of a reply's bytes threw.
 */
export function writeReply(context: RequestContext, reply: Reply, settings: ReplySettings): Promise<void> | undefined {
  const { request } = context;
  if (context.gone) return;
  if (hasUnreadBody(request)) discardBody(request, settings.discardBytesMax);
  context.orderId = reply.headers?.['x-service-order-id'] ?? null;
  const headers = commonHeaders(context, settings);
  if ('open' in reply)
    return openStream(context, Object.assign(headers, eventStreamHeaders, reply.headers), reply, settings.unread);
  if ('frames' in reply)
    return writeFrames(context, Object.assign(headers, eventStreamHeaders, reply.headers), reply, settings.unread);
  if ('raw' in reply) {
    const { status, raw, shared, release } = reply;
    return writeWhole(
      context,
      { status, raw, shared, headers: Object.assign(headers, reply.headers), release },
      settings,
    );
  }
  if ('bytes' in reply) return writeBytes(context, Object.assign(headers, reply.headers), reply, settings.unread);
  if (!('json' in reply) || reply.json === undefined)
    return writeNothing(context, reply.status, Object.assign(headers, reply.headers));
  headers['content-type'] = 'application/json';
  Object.assign(headers, reply.headers);
  const written = writeWhole(context, { status: reply.status, headers, raw: JSON.stringify(reply.json) }, settings);
  if (written) return written.then(() => settings.unread.note(context.response));
  settings.unread.note(context.response);
  return undefined;
}

/** A whole reply, and headers that may be added to. */
interface WholeReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly raw: RawReply['raw'];
  readonly shared?: RawReply['shared'];
  readonly release?: RawReply['release'];
}

/** Only a body that may be compressed is awaited; other replies are not delayed. */
function writeWhole(context: RequestContext, whole: WholeReply, settings: ReplySettings): Promise<void> | undefined {
  if (whole.status === 200 && isRead(context.request)) return writeCompressed(context, whole, settings);
  if (whole.release) context.onClosed(whole.release);
  send(context, whole);
  return undefined;
}

/**
 * Compressed where the caller takes that. A large body that is not compressed is sent in pieces, so that the number of
 * sent bytes is known.
 */
async function writeCompressed(
  context: RequestContext,
  whole: WholeReply,
  { compressor, unread }: ReplySettings,
): Promise<void> {
  const compressed = await compressor.compress(context.request, whole.raw, whole.shared);
  if (compressed) whole.release?.();
  else if (whole.release) context.onClosed(whole.release);
  if (context.gone) return;
  if (compressed) whole.headers['content-encoding'] = compressed.coding;
  const length = Buffer.byteLength(whole.raw);
  if (compressed) return send(context, { ...whole, raw: compressed.bytes }, length);
  if (length <= PIECE_BYTES) return send(context, whole, length);
  const bytes = inPieces(Buffer.from(whole.raw));
  const heldBytes = () => length - context.writtenBytes;
  return writeBytes(context, whole.headers, { status: 200, headers: {}, length, bytes, heldBytes }, unread);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** `bytes`: how many the body has before any compression. */
function send(context: RequestContext, { status, headers, raw }: WholeReply, bytes = Buffer.byteLength(raw)): void {
  const { request, response } = context;
  context.writtenBytes = bytes;
  headers['content-length'] = String(Buffer.byteLength(raw));
  const closes = headers.connection === 'close' || !response.shouldKeepAlive;
  // A caller who waits to be asked for its body sends none.
  const isSending = hasUnreadBody(request) && request.headers.expect === undefined && request.method !== 'HEAD';
  response.writeHead(status, headers);
  if (closes && isSending) {
    response.write(raw, (error) => {
      if (!error) context.replied();
    });
    // With the machine's clock, as in server.ts: only a socket notices.
    void restOfBody(request, systemClock).then(() => response.end());
  } else {
    response.end(request.method === 'HEAD' ? undefined : raw);
  }
}

function isRead({ method }: RequestContext['request']): boolean {
  return method === 'GET' || method === 'HEAD';
}

function writeNothing({ response }: RequestContext, status: number, headers: Headers): undefined {
  // With these statuses `content-length: 0` is not allowed either (RFC 9110, 8.6).
  const silent = status === 204 || status === 304;
  response.writeHead(status, silent ? headers : { ...headers, 'content-length': '0' });
  response.end();
}

/** Reads the bytes no faster than the caller does, and stops when the caller disconnects or reads nothing for a minute. */
async function writeBytes(
  context: RequestContext,
  headers: Headers,
  reply: BytesReply,
  unread: UnreadBytes,
): Promise<void> {
  const { request, response } = context;
  const length = reply.length === null ? {} : { 'content-length': reply.length };
  const begin = () => response.writeHead(reply.status, { ...headers, ...length });
  for await (const chunk of reply.bytes) {
    if (!response.headersSent) begin();
    if (request.method === 'HEAD' || response.destroyed) break;
    context.writtenBytes += chunk.length;
    if (response.write(chunk)) continue;
    unread.note(response, reply.heldBytes?.());
    await unread.read(response);
  }
  if (!response.headersSent) begin();
  // A response that ends before its declared length must not look complete.
  if (reply.length === null || context.writtenBytes === reply.length || request.method === 'HEAD') response.end();
  else response.destroy();
}

function openStream(
  { request, response }: RequestContext,
  headers: Headers,
  { open, repeated }: StreamReply,
  unread: UnreadBytes,
): undefined {
  response.writeHead(200, headers);
  if (request.method === 'HEAD') response.end();
  else open(new EventStream(response, { unread, repeated }));
}

/** The headers of every reply. */
function commonHeaders(
  { path, request, requestId }: RequestContext,
  { closeConnection, headers: given }: ReplySettings,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId, ...given };
  // Also set on replies that are never compressed, and on 304: caches must not mix up compressed and plain ones.
  if (isRead(request)) headers.vary = 'accept-encoding';
  if (isMessagesPath(path)) headers['request-id'] = requestId;
  if (closeConnection) headers.connection = 'close';
  return headers;
}
