/** Ids of traces and spans, as the W3C defines them: random, in lower-case hex, and never only zeros. */
import { randomFillSync } from 'node:crypto';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const POOL_BYTES = 4096;

/** Makes ids. */
export interface TraceIds {
  /** 16 bytes: 32 digits. */
  traceId(): string;
  /** 8 bytes: 16 digits. */
  spanId(): string;
}

/** Random ids; an id costs a fraction of a microsecond. */
export function traceIds(): TraceIds {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  const next = (bytes: number): string => {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    let id = '';
    for (const end = used + bytes; used < end; used++) id += HEX[pool[used] ?? 0];
    return /[^0]/.test(id) ? id : next(bytes);
  };
  return { traceId: () => next(16), spanId: () => next(8) };
}
