/** Bytes that many ask for, such as a page or a script: tagged, compressed at most once in each coding, and kept. */
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request } from 'express';
import { tagOf } from '#handlers/conditional.ts';

/** What is said about the bytes. */
export interface KeptHeaders {
  /** The media type. */
  readonly type: string;
  /** The value of cache-control. */
  readonly caching: string;
  /** 200 when absent. */
  readonly status?: number;
  /** `accept-encoding` when absent. */
  readonly vary?: string;
  /** The headers that protect the reader. */
  readonly protection: Readonly<Record<string, string>>;
}

/** Answers GET and HEAD of the same bytes; never rejects. */
export type KeptFile = (request: Request, response: ServerResponse) => Promise<void>;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** What is compressed in itself. */
const COMPRESSED = ['image/png', 'font/woff2'];

/** The media type of a file of pages, by its name. */
export function mediaTypeOf(name: string): string {
  return TYPES[extname(name)] ?? 'text/plain';
}

/** A year, which is the longest that caches honor. For names that contain a hash of the content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Sends bytes; what cannot be compressed is sent as it is. A server of files such as sirv would not do: it sends compressed
 * files that lie on the disk, tags them by their time, and most pages are no files.
 */
export function keptFile(
  bytes: Buffer,
  { type, caching, status = 200, vary = 'accept-encoding', protection }: KeptHeaders,
): KeptFile {
  const etag = tagOf(bytes);
  const headers = { ...protection, 'content-type': type, 'cache-control': caching, vary, etag };
  const compressed: { br?: Promise<Buffer | null>; gzip?: Promise<Buffer | null> } = {};
  const fitting = bytes.length > BROTLI_BYTES_MAX ? CODINGS.slice(1) : CODINGS;
  const codings = COMPRESSED.includes(type) ? [] : fitting;
  return async (request, response) => {
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    // Compressed once, so the smallest that the caller takes is the best, whichever it names first.
    const coding = codings.find((name) => request.acceptsEncodings(name));
    if (coding) compressed[coding] ??= compressions[coding](bytes).catch(() => null);
    const smaller = coding ? await compressed[coding] : null;
    const body = smaller ?? bytes;
    const coded = smaller && coding ? { 'content-encoding': coding } : {};
    response.writeHead(status, { ...headers, ...coded, 'content-length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** Brotli needs seconds for more. */
const BROTLI_BYTES_MAX = 512 * 1024;
const CODINGS = ['br', 'gzip'] as const;
const compressions = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };
