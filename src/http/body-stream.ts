/**
 * A request body as a stream: decompressed, counted before and after that, and given up when no data arrives for too
 * long. The stream is separate from the request: ending it early leaves the request open, so that the caller still
 * gets a reply that says why.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { FormFile, FormPart } from '#contract/call.ts';
import { sendContinue } from './protocol.ts';

/** How long no data of a body may arrive, whether the caller or the reader is slow, before the connection is closed. */
export const BODY_IDLE_MS = 60_000;

/** The bounds of a body. */
export interface BodyBounds {
  /** Before and after decompression. */
  readonly bytesMax: number;
  readonly clock: Clock;
}

/**
 * Starts to read the body, no faster than the stream is read. The stream fails with request_too_large, with
 * invalid_request for a body that cannot be decompressed, and with an error when the caller disconnects.
 */
export function streamBody(request: IncomingMessage, response: ServerResponse, bounds: BodyBounds): Readable {
  const { bytesMax, clock } = bounds;
  const encoding = encodingOf(request.headers);
  const isPlain = encoding === 'identity';
  const release = () => {
    idleTimer.stop();
    // This pauses the request, so it must come before the code that discards the rest.
    request.unpipe(raw);
    raw.destroy();
  };
  const raw = byteLimit(bytesMax, isPlain ? release : undefined);
  const body = isPlain ? raw : decompressed(raw, decoders[encoding](), byteLimit(bytesMax, release));
  const idleTimer = startIdleTimer(clock, () => {
    raw.destroy(new Error('No data of the body arrived for too long.'));
    request.destroy();
  });
  request.on('data', () => idleTimer.restart());
  request.on('error', (error) => raw.destroy(error));
  request.on('end', () => idleTimer.stop());
  if (request.destroyed) {
    // A destroyed request emits nothing more, not even an error.
    raw.destroy(disconnectError(request));
    return body;
  }
  // Sent only now, so that a refused client with `Expect: 100-continue` need not send its body.
  sendContinue(request, response);
  request.pipe(raw);
  return body;
}

/** The error for a request whose caller disconnected before its body was read. */
export function disconnectError(request: IncomingMessage): Error {
  return request.errored ?? new Error('The caller disconnected before the body was read.');
}

const decoders = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_BITS } }),
} as const;

function decompressed(raw: Readable, decoder: Duplex, body: Transform): Readable {
  raw.on('error', (error) => body.destroy(error));
  decoder.on('error', (cause) => body.destroy(undecodable(cause)));
  body.once('close', () => decoder.destroy());
  return raw.pipe(decoder).pipe(body);
}

/** Passes on up to `bytesMax` bytes; more is request_too_large. Calls `release` as soon as it ends, however it does. */
function byteLimit(bytesMax: number, release: () => void = () => {}): Transform {
  let seen = 0;
  return new Transform({
    destroy(error, done) {
      release();
      done(error);
    },
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytesMax) done(tooLarge(bytesMax));
      else done(null, chunk);
    },
  });
}

/** The fault for a body of more than `bytesMax`. */
export function tooLarge(bytesMax: number): Fault {
  const size = bytesMax < 1024 * 1024 ? `${bytesMax / 1024} KiB` : `${bytesMax / 1024 / 1024} MiB`;
  return new Fault('request_too_large', { message: `The body is over ${size}.` });
}

/** The fault for a body that is not coded as it says. */
export function undecodable(cause: unknown): Fault {
  const message = 'The body cannot be decompressed as its Content-Encoding says.';
  return new Fault('invalid_request', { message, cause });
}

/** Calls `run` when it was not restarted for BODY_IDLE_MS. */
function startIdleTimer(clock: Clock, run: () => void) {
  let timer = clock.after(BODY_IDLE_MS, run);
  return {
    stop: () => timer.cancel(),
    restart() {
      timer.cancel();
      timer = clock.after(BODY_IDLE_MS, run);
    },
  };
}

const encodings = ['identity', 'gzip', 'br', 'zstd'] as const;
/** `identity` is a body that is not compressed. */
export type Encoding = (typeof encodings)[number];

/** 8 MiB: a zstd frame may require a window of 2 GiB, but compressors below level "ultra" use no more than this. */
export const ZSTD_WINDOW_BITS = 23;

/** The encoding of the body. Throws unsupported_encoding for any other, and for several. */
export function encodingOf(headers: IncomingHttpHeaders): Encoding {
  const named = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const known = encodings.find((encoding) => encoding === named);
  if (!known) throw new Fault('unsupported_encoding', { param: 'content-encoding' });
  return known;
}

/** Far more than any client sends besides its file, far less than would do harm. */
const BOUNDS = { fields: 50, files: 10, fieldSize: 16 * 1024, headerPairs: 20, headerSize: 8 * 1024 };

/**
 * The form of a request; nothing is read before it is iterated. Throws at once what the headers show: invalid_request
 * when it is no form, unsupported_encoding, request_too_large for a declared length. Iterating throws the same later.
 */
export function formOf(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: BodyBounds,
): AsyncIterable<FormPart> {
  encodingOf(request.headers);
  const parser = parserFor(request.headers['content-type'] ?? '');
  if (Number(request.headers['content-length']) > bounds.bytesMax) throw tooLarge(bounds.bytesMax);
  return { [Symbol.asyncIterator]: () => readParts(streamBody(request, response, bounds), parser) };
}

/** The parts of the form in `body`, which is closed when the iteration ends. */
async function* readParts(body: Readable, parser: BusboyInstance): AsyncGenerator<FormPart> {
  const parts = new Readable({ objectMode: true, read() {} });
  const contents: Readable[] = [];
  let failure: Error | null = null;
  const fail = (cause: Error) => {
    failure ??= cause;
    for (const content of contents) content.destroy(failure);
    parts.destroy(failure);
  };
  parser
    .on('field', (name, value, _nameCut, valueCut) => {
      if (valueCut) fail(unreadable(`The field ${JSON.stringify(name)} is longer than 16 KiB.`));
      else parts.push({ kind: 'field', name, value });
    })
    .on('file', (name, content, filename) => {
      contents.push(content);
      // `fail` keeps the first error: an error of the parser that follows from it says less.
      content.on('error', fail);
      parts.push(fileOf(name, filename, content, () => failure));
    })
    .on('fieldsLimit', () => fail(unreadable('The form has more than 50 fields.')))
    .on('filesLimit', () => fail(unreadable('The form has more than 10 files.')))
    .on('finish', () => parts.push(null))
    .on('error', (cause) => fail(unreadable('The form is incomplete, or does not match its boundary.', cause)));
  body.on('error', fail);
  body.pipe(parser);
  try {
    yield* parts as AsyncIterable<FormPart>;
  } finally {
    body.destroy();
    for (const content of contents) content.destroy();
  }
}

function fileOf(name: string, filename: string | undefined, stream: Readable, failure: () => Error | null): FormFile {
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw failure() ?? error;
    }
  }
  return { kind: 'file', name, filename: filename ?? null, content: content(), skip: () => void stream.resume() };
}

function parserFor(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType.trim())) {
    throw invalidRequest('content-type', 'Send a multipart/form-data form.');
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: BOUNDS,
      // Some clients send text without a filename; the name of the part is enough.
      isPartAFile: (name, type, filename) =>
        filename !== undefined || name === 'file' || type === 'application/octet-stream',
    });
  } catch (cause) {
    throw unreadable('The Content-Type of a form must name its boundary.', cause);
  }
}

function unreadable(message: string, cause?: unknown): Fault {
  return new Fault('invalid_request', { message, cause });
}
