/**
 * Identifiers. Order ids are UUIDv7 (RFC 9562) in lower case. They sort in the order in which they were made, even within a
 * millisecond. If an id is made before its row, as those of a batch's files are, a list sorts by the time of the row first.
 */
import { randomBytes, randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Makes ids. `service.ts` creates one per process. */
export interface IdSource {
  /** A UUIDv7 greater than all earlier ones of this source. */
  uuid(): string;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Ids from `clock`. A 12-bit counter orders ids within a millisecond; after 4,096 it borrows from the next one. */
export function idSource(clock: Clock): IdSource {
  const pool = new Uint8Array(8 * 256);
  let used = pool.length;
  let lastMs = 0;
  let count = 0;
  /** What ids of this millisecond begin with. */
  let beginning = '';
  const enter = (ms: number) => {
    lastMs = ms;
    count = 0;
    const time = ms.toString(16).padStart(12, '0');
    beginning = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  };
  return {
    uuid() {
      const nowMs = clock.nowMs();
      if (nowMs > lastMs) enter(nowMs);
      else if (++count > 0xfff) enter(lastMs + 1);
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const variant = HEX[(byte(pool, used) & 0x3f) | 0x80];
      const [b1, b2, b3] = [hex(pool, used + 1), hex(pool, used + 2), hex(pool, used + 3)];
      const [b4, b5, b6, b7] = [hex(pool, used + 4), hex(pool, used + 5), hex(pool, used + 6), hex(pool, used + 7)];
      used += 8;
      const counter = (count + 0x1000).toString(16).slice(1);
      return `${beginning}${counter}-${variant}${b1}-${b2}${b3}${b4}${b5}${b6}${b7}`;
    },
  };
}

function byte(pool: Uint8Array, index: number): number {
  return pool[index] ?? 0;
}

function hex(pool: Uint8Array, index: number): string {
  return HEX[byte(pool, index)] ?? '';
}

/** Whether `text` is an id that this service could have made. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` uniformly random base62 characters; unpredictable. */
export function secretText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const value of randomBytes(length)) {
      if (value < 248 && text.length < length) text += BASE62[value % 62];
    }
  }
  return text;
}

/** A whole number from 0, in base62, the most significant digit first. */
export function base62(value: number): string {
  const rest = Math.floor(value / 62);
  return (rest > 0 ? base62(rest) : '') + BASE62[value % 62];
}

const POOL_BYTES = 4096;

/** Makes ids of traces and spans, as the W3C defines them: random, in lower-case hex, and never only zeros. */
export type TraceIds = ReturnType<typeof traceIds>;

/** Random ids; an id costs a fraction of a microsecond. */
export function traceIds() {
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
