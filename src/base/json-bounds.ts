/**
 * Bounds on JSON text that are kept before it is parsed, from its bytes alone. Depth overflows the stack of every reader
 * after JSON.parse; a great many small values, keys above all, keep the process busy for seconds though their bytes are
 * few. The scan is cheap beside the parse, and does not care whether the text is JSON.
 */
import { NESTING_MAX } from './nesting.ts';

/** Members and items in all, far above any conversation: a prompt of a million tokens has a tenth of them. */
export const JSON_VALUES_MAX = 100_000;

/** The bound that `bytes` break, as the end of a sentence about them; null when they keep both. */
export function brokenJsonBound(bytes: Uint8Array): string | null {
  // Too short to break either.
  if (bytes.length < 2 * NESTING_MAX) return null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        if (++depth > NESTING_MAX) return `is nested deeper than ${NESTING_MAX} levels`;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
    }
  }
  return values > JSON_VALUES_MAX ? `holds more than ${JSON_VALUES_MAX} values` : null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The index of the quote that closes the string opened at `start`; the end of the bytes when none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}
