/** The encodings in which a body may arrive. */
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '#base/fault.ts';

const encodings = ['identity', 'gzip', 'br', 'zstd'] as const;
/** `identity` is a body as it is. */
export type Encoding = (typeof encodings)[number];

/** A zstd frame may ask its reader for up to 2 GiB of window; compressors below "ultra" ask for 8 MiB at most. */
export const ZSTD_WINDOW_BITS = 23;

/** The encoding of the body. Throws unsupported_encoding for one that is not read here, and for several. */
export function encodingOf(headers: IncomingHttpHeaders): Encoding {
  const named = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const known = encodings.find((encoding) => encoding === named);
  if (!known) throw new Fault('unsupported_encoding', { param: 'content-encoding' });
  return known;
}
