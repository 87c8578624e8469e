/**
 * Bounds on JSON text, checked on its bytes before it is parsed. Deep nesting overflows the stack of every recursive
 * reader after JSON.parse. Very many small values, keys above all, keep the process busy for seconds although they take
 * few bytes. The same scan finds numbers that a double may not keep (`exact-json.ts`). It is cheap compared to parsing
 * and also works on invalid JSON.
 */
import { NESTING_MAX } from './bounds.ts';

/** The most members and items in total: ten times those of a million-token prompt. */
export const JSON_VALUES_MAX = 100_000;

/** A number of up to this many digits has a double that prints as the same number. */
export const DIGITS_EXACT = 15;

/** What is remarkable about a JSON text. */
interface JsonScan {
  /** The bound that it exceeds, as the end of a sentence about it; null for none. */
  readonly broken: string | null;
  /** Whether it may have a number that a double cannot keep: one of more than 15 characters, or with an exponent. */
  readonly longNumbers: boolean;
}

/** Reads the bytes once, but skips what is in strings. */
export function scanJson(bytes: Uint8Array): JsonScan {
  let depth = 0;
  let values = 0;
  let longNumbers = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      const end = endOfNumber(bytes, at);
      longNumbers ||= end < 0 || end - at > DIGITS_EXACT;
      if (end >= 0) at = end - 1;
      continue;
    }
    switch (byte) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        if (++depth > NESTING_MAX) return { broken: `is nested deeper than ${NESTING_MAX} levels`, longNumbers };
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
    }
  }
  return { broken: values > JSON_VALUES_MAX ? `holds more than ${JSON_VALUES_MAX} values` : null, longNumbers };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The index after the digits and the point of a number; -1 when an exponent follows. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  for (let end = start + 1; ; end++) {
    const byte = bytes[end] ?? 0;
    if (byte === SMALL_E || byte === LARGE_E) return -1;
    if ((byte < ZERO || byte > NINE) && byte !== POINT) return end;
  }
}

/** The index of the quote that closes the string opened at `start`; the length of the bytes if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}

/** Tracks whether the object or list in JSON that arrives in pieces has closed. Reads each character once. */
export class JsonNesting {
  #depth = 0;
  #begun = false;
  #quoted = false;
  #escaped = false;

  /** Whether the JSON so far could be a complete object or list. */
  get closed(): boolean {
    return this.#begun && this.#depth === 0;
  }

  /** Takes the next piece. */
  add(piece: string): void {
    for (let position = 0; position < piece.length; position++) this.#step(piece.charCodeAt(position));
  }

  /** Takes the next piece from an index on, up to where it closes. Returns the index behind that, or the end. */
  addUntilClosed(piece: string, from: number): number {
    let position = from;
    while (position < piece.length && !this.closed) this.#step(piece.charCodeAt(position++));
    return position;
  }

  #step(letter: number): void {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (letter === BACKSLASH) this.#escaped = true;
      else if (letter === QUOTE) this.#quoted = false;
    } else if (letter === QUOTE) {
      this.#quoted = true;
    } else if (letter === OPEN_OBJECT || letter === OPEN_LIST) {
      this.#begun = true;
      this.#depth++;
    } else if (letter === CLOSE_OBJECT || letter === CLOSE_LIST) {
      this.#depth--;
    }
  }
}
