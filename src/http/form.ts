/**
 * Forms with a file (multipart/form-data, RFC 7578), read part by part as they arrive: only a few chunks of a file are
 * in memory at a time. busboy parses; this file sets its bounds and turns what it reports into parts and Faults.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Fault } from '#base/fault.ts';
import type { FormFile, FormPart } from '#contract/call.ts';
import { type BodyBounds, encodingOf, streamBody, tooLarge } from './body-stream.ts';

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
    throw new Fault('invalid_request', { param: 'content-type', message: 'Send a multipart/form-data form.' });
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
