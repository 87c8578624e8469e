/**
 * Identifiers. Order ids are UUIDv7 (RFC 9562) in lower case. They sort in order of creation, even within a
 * millisecond, so a list newest first needs no second sort key.
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
  return {
    uuid() {
      const nowMs = clock.nowMs();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        count = 0;
      } else if (++count > 0xfff) {
        lastMs++;
        count = 0;
      }
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const time = lastMs.toString(16).padStart(12, '0');
      const counter = count.toString(16).padStart(3, '0');
      const variant = HEX[(byte(pool, used) & 0x3f) | 0x80];
      let tail = '';
      for (let i = 2; i < 8; i++) tail += HEX[byte(pool, used + i)];
      const clockSequence = `${variant}${HEX[byte(pool, used + 1)]}`;
      used += 8;
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${clockSequence}-${tail}`;
    },
  };
}

function byte(pool: Uint8Array, index: number): number {
  return pool[index] ?? 0;
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
