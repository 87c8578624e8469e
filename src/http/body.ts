/**
 * Reads a body: the bytes are counted as they arrive and decompressed under the same limit. Nothing is read before the
 * caller is known, and no more than the limit is ever in memory. What is in it is read by `base/exact-json.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, zstdDecompress } from 'node:zlib';
import type { Clock } from '#base/clock.ts';
import { releaseBytes } from '#base/release-bytes.ts';
import { disconnectError, type Encoding, encodingOf, tooLarge, undecodable, ZSTD_WINDOW_BITS } from './body-stream.ts';
import { sendContinue } from './protocol.ts';

/** A body of this size is read at once. */
const UNPACED_BYTES_MAX = 64 * 1024;

/**
 * A line of requests. In each turn of the event loop a piece of one is read. A socket whose sender is fast has
 * megabytes ready, and Node reads all of it, of every socket, before it turns to anybody else: a few hundred such
 * requests, refused at once, stopped the gateway for a third of a second.
 */
export class PacedReading {
  readonly #paused: IncomingMessage[] = [];

  /** Call it with each piece: the next one comes when it is the request's turn again. */
  pause(request: IncomingMessage): void {
    request.pause();
    if (this.#paused.push(request) === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#paused.shift()?.resume();
    if (this.#paused.length > 0) setImmediate(() => this.#turn());
  }
}

/** Two queues, so that wanted bodies do not wait behind discarded ones. */
const wanted = new PacedReading();
const discarded = new PacedReading();

/**
 * The body, at most `bytesMax` bytes before and after decompression. Throws request_too_large (before reading, when the
 * length is declared), unsupported_encoding and invalid_request (cannot be decompressed). Rejects when the caller
 * disconnects, and with the reason of `signal` when that aborts.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  expectedBytes(request, bytesMax);
  const encoding = encodingOf(request.headers);
  // Sent only now, so that a refused client with `Expect: 100-continue` need not send its body.
  sendContinue(request, response);
  const bytes = await collect(request, bytesMax, signal);
  return encoding === 'identity' ? bytes : decompressed(bytes, decompressors[encoding], bytesMax);
}

/**
 * A small body that came together with the headers, as most do: there is nothing to wait for. Null for any other, which
 * `readBody` reads.
 */
export function arrivedBody(request: IncomingMessage, bytesMax: number): Buffer | null {
  const { readableLength, headers } = request;
  const isPlain = headers['content-encoding'] === undefined && headers.expect === undefined;
  const isSmall = readableLength <= Math.min(bytesMax, UNPACED_BYTES_MAX);
  // Node says only later that the message is complete.
  if (!isPlain || !isSmall || readableLength !== Number(headers['content-length']) || request.destroyed) return null;
  const bytes = request.read() as Buffer | null;
  // Lets the request end, which otherwise stays with its connection until the next one.
  request.resume();
  return bytes ?? NO_BYTES;
}

/** Whether some of the body was not read, or has still to come, of a caller who waits to be asked for it as well. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = request.headers;
  return (!request.complete || request.readableLength > 0) && (coding !== undefined || Number(length) > 0);
}

const NO_BYTES = Buffer.alloc(0);

/** The most bytes that the body can have in memory, by its headers. Throws request_too_large. */
export function expectedBytes({ headers }: IncomingMessage, bytesMax: number): number {
  const declared = Number(headers['content-length'] ?? bytesMax);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  return (headers['content-encoding'] ?? 'identity') === 'identity' ? declared : bytesMax;
}

/**
 * Discards the rest of a body that nobody reads, so that a client that is still sending can read the reply, and closes
 * the connection after more than `bytesMax`.
 */
export function discardBody(request: IncomingMessage, bytesMax: number): void {
  let seen = 0;
  request.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    releaseBytes(chunk);
    if (seen > bytesMax) request.destroy();
    else discarded.pause(request);
  });
  request.on('error', () => {
    // The client disconnected while it sent a body that is discarded anyway.
  });
  // The code that began to read it may have paused it, and its connection would take no other request.
  request.resume();
}

/** How long a caller may go on sending a body that is discarded, before its connection is closed: as long as nginx waits. */
const LINGER_MS = 30_000;

/**
 * Resolves when no more of a discarded body comes, at the latest after `LINGER_MS`. A connection that is closed earlier is
 * reset, which can destroy a reply that the caller has not read; many callers read only once they have sent everything.
 */
export function restOfBody(request: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(LINGER_MS, resolve);
    const over = () => {
      timer.cancel();
      resolve();
    };
    request.once('end', over).once('close', over);
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

function collect(request: IncomingMessage, bytesMax: number, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) reject(disconnectError(request));
    const bytes = new BodyBytes(Number(request.headers['content-length'] ?? 0));
    const stop = (reason: unknown) => {
      request.off('data', onData);
      bytes.drop();
      reject(reason);
    };
    const onData = (chunk: Buffer) => {
      bytes.add(chunk);
      if (bytes.length > bytesMax) stop(tooLarge(bytesMax));
      else if (bytes.length > UNPACED_BYTES_MAX) wanted.pause(request);
    };
    // Removed at the end: they hold the body, and a request lives as long as its order waits.
    const onEnd = () => {
      request.off('data', onData).off('end', onEnd).off('error', reject);
      request.on('error', ignore);
      resolve(bytes.take());
    };
    signal?.addEventListener('abort', () => stop(signal.reason), { once: true });
    request.on('data', onData).on('end', onEnd).on('error', reject);
  });
}

function ignore(): void {}

/** Bytes as they arrive: in one buffer of the declared length, so that joining them needs no second one. */
class BodyBytes {
  readonly #declared: number;
  #whole: Buffer | null = null;
  #chunks: Buffer[] = [];
  length = 0;

  constructor(declared: number) {
    this.#declared = declared;
  }

  add(chunk: Buffer): void {
    // Small bodies are one chunk, and need no copy. The parser ends a body at its declared length.
    if (this.#declared > chunk.length) {
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared);
      chunk.copy(this.#whole, this.length);
      this.length += chunk.length;
      releaseBytes(chunk);
    } else {
      this.#chunks.push(chunk);
      this.length += chunk.length;
    }
  }

  drop(): void {
    this.#whole = null;
    this.#chunks = [];
  }

  /** All of it, once. */
  take(): Buffer {
    const [first] = this.#chunks;
    const whole = this.#whole ?? (this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks));
    this.drop();
    return whole;
  }
}

async function decompressed(bytes: Buffer, decompress: Decompress, bytesMax: number): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bytesMax);
    throw undecodable(cause);
  }
}
