/**
 * A body that is read while it arrives: decompressed, counted on both sides of that, and given up when nothing comes for
 * too long. The stream is ours and the request is not: to end the stream early leaves the request open, so that the
 * caller can still be told why.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, type Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import type { Clock, Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { encodingOf, ZSTD_WINDOW_BITS } from './encoding.ts';
import { giveLeaveToSend } from './protocol.ts';

/** How long a body may stand still, whoever is at fault, before the connection is given up. */
export const STANDSTILL_MS = 60_000;

/** What bounds a body. */
export interface BodyBounds {
  /** Before decompression as after it. */
  readonly bytesMax: number;
  readonly clock: Clock;
}

/**
 * Begins to read the body, as fast as the stream is read and no faster. The stream fails with request_too_large,
 * with invalid_request for a body that does not decompress, and with an error when the caller goes away.
 */
export function streamBody(request: IncomingMessage, response: ServerResponse, bounds: BodyBounds): Readable {
  const { bytesMax, clock } = bounds;
  const raw = counter(bytesMax);
  const encoding = encodingOf(request.headers);
  const body = encoding === 'identity' ? raw : decompressed(raw, decoders[encoding](), bytesMax);
  const standstill = new Standstill(clock, () => {
    raw.destroy(new Error('The body stood still.'));
    request.destroy();
  });
  request.on('data', () => standstill.over());
  request.on('error', (error) => raw.destroy(error));
  request.on('end', () => standstill.end());
  body.once('close', () => {
    standstill.end();
    request.unpipe(raw);
    raw.destroy();
  });
  if (request.destroyed) {
    // It says nothing more, not even that.
    raw.destroy(goneBefore(request));
    return body;
  }
  // Until here the client may be waiting for leave to send, so that a refusal spares it the sending.
  giveLeaveToSend(request, response);
  request.pipe(raw);
  return body;
}

/** The error of a request whose caller left before anybody read its body. */
export function goneBefore(request: IncomingMessage): Error {
  return request.errored ?? new Error('The caller left before the body was read.');
}

const decoders = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_BITS } }),
} as const;

function decompressed(raw: Readable, decoder: Duplex, bytesMax: number): Readable {
  const body = counter(bytesMax);
  raw.on('error', (error) => body.destroy(error));
  decoder.on('error', (cause) => {
    const message = 'The body does not decompress as its Content-Encoding says.';
    body.destroy(new Fault('invalid_request', { message, cause }));
  });
  body.once('close', () => decoder.destroy());
  return raw.pipe(decoder).pipe(body);
}

/** Passes on what it gets, up to `bytesMax` bytes. */
function counter(bytesMax: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytesMax) done(new Fault('request_too_large', { message: `The body is over ${mib(bytesMax)}.` }));
      else done(null, chunk);
    },
  });
}

function mib(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}

/** Calls `run` once nothing was over for a while. */
class Standstill {
  readonly #clock: Clock;
  readonly #run: () => void;
  #timer: Timer;

  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
    this.#timer = clock.after(STANDSTILL_MS, run);
  }

  over(): void {
    this.#timer.cancel();
    this.#timer = this.#clock.after(STANDSTILL_MS, this.#run);
  }

  end(): void {
    this.#timer.cancel();
  }
}
