/** The content encodings of request bodies. */
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '#base/fault.ts';

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
