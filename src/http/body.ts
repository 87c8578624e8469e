/**
 * Reads a JSON body: the bytes are collected once, counted while they arrive, decompressed under the same limit and
 * parsed once. Nothing is read before the caller is known, and no more than the limit is ever held.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, zstdDecompress } from 'node:zlib';
import { Fault } from '#base/fault.ts';
import { brokenJsonBound } from '#base/json-bounds.ts';
import { goneBefore } from './body-stream.ts';
import { type Encoding, encodingOf, ZSTD_WINDOW_BITS } from './encoding.ts';
import { giveLeaveToSend } from './protocol.ts';

/**
 * The parsed body, at most `bytesMax` bytes before and after decompression. Throws request_too_large (before reading,
 * when the length is declared), unsupported_encoding, invalid_json (also for no body, for bytes that are not UTF-8 and
 * for what `brokenJsonBound` finds) and invalid_request (a body that does not decompress). Rejects when the caller goes away.
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<unknown> {
  if (Number(request.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
  const encoding = encodingOf(request.headers);
  // Until here the client may be waiting for leave to send, so that a refusal spares it the sending.
  giveLeaveToSend(request, response);
  const bytes = await collect(request, bytesMax);
  return parseJson(encoding === 'identity' ? bytes : await decompressed(bytes, decompressors[encoding], bytesMax));
}

/** Whether the head of the request announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Lets the rest of a body that nobody reads run out, so that a client still sending gets to read the answer, and cuts
 * the connection when it goes on for more than `bytesMax`.
 */
export function discardBody(request: IncomingMessage, bytesMax: number): void {
  let seen = 0;
  request.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > bytesMax) request.destroy();
  });
  request.on('error', () => {
    // The client went away while sending what nobody wanted.
  });
}

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Readonly<Record<Exclude<Encoding, 'identity'>, Decompress>> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
  zstd: (bytes, options) =>
    promisify(zstdDecompress)(bytes, {
      ...options,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_BITS },
    }),
};

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) reject(goneBefore(request));
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= bytesMax) return;
      request.off('data', onData);
      chunks.length = 0;
      reject(tooLarge(bytesMax));
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

async function decompressed(bytes: Buffer, decompress: Decompress, bytesMax: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bytesMax);
    throw new Fault('invalid_request', {
      message: 'The body does not decompress as its Content-Encoding says.',
      cause,
    });
  }
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Fault('invalid_json', { message: 'A JSON body is required, and there was none.' });
  if (!isUtf8(bytes)) throw new Fault('invalid_json', { message: 'The body is not valid UTF-8.' });
  const broken = brokenJsonBound(bytes);
  if (broken) throw new Fault('invalid_json', { message: `The body ${broken}.` });
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    const place = cause instanceof Error ? /at position \d+/.exec(cause.message)?.[0] : undefined;
    throw new Fault('invalid_json', { message: `The body is not valid JSON${place ? ` ${place}` : ''}.`, cause });
  }
}

function tooLarge(bytesMax: number): Fault {
  return new Fault('request_too_large', { message: `The body is over ${bytesMax / 1024 / 1024} MiB.` });
}
