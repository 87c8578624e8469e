/**
 * JSON with numbers that a double cannot keep. `parseJson` reads as `JSON.parse` does, so everyone sees plain numbers;
 * where a number in the text has more digits than a double, a second reading keeps it as written, and `exactly` returns
 * that one to code that forwards it. In it such a number is a `JSON.rawJSON` object, which `JSON.stringify` prints.
 * Text nested too deep for a stack, or with so many small values that it blocks the process, is refused before it is
 * parsed. No half of a surrogate pair gets in: engines answer such text with 500, and databases change it.
 */
import { isUtf8 } from 'node:buffer';
import { NESTING_MAX } from './bounds.ts';
import { Fault } from './fault.ts';

declare global {
  // Node 24 has them, the types of the language not yet.
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** A number as it was written. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** The second reading of each object that has one; it lasts as long as the first. */
const exact = new WeakMap<object, object>();

/**
 * The value of a JSON text; `longNumbers` is what `scanJson` said about it. Throws a SyntaxError, as JSON.parse does.
 */
export function parseJson(text: string, longNumbers: boolean): unknown {
  const value: unknown = JSON.parse(text);
  if (longNumbers) pair(value, asWritten(text));
  return value;
}

/** The value of a JSON text that was stored to be forwarded, with its numbers as they were written. */
export function exactJson(text: string): unknown {
  return scanJson(Buffer.from(text)).longNumbers ? asWritten(text) : JSON.parse(text);
}

function asWritten(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isLong(value, source) ? JSON.rawJSON(source) : value,
  );
}

/** What `parseJson` read, or an object directly in it, with its numbers as they were written; itself if all are plain. */
export function exactly<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  // The same text, read twice: only numbers differ, and their readers look at the first reading.
  return (exact.get(value) as Value | undefined) ?? value;
}

/** A copy in which every number is plain again, for code that computes with it. */
export function plainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return JSON.parse(value.rawJSON);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isContainer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainNumbers(inner)]));
}

/** Also objects directly inside, because the line of a batch has a request as a field. */
function pair(plain: unknown, other: unknown): void {
  if (!isContainer(plain) || !isContainer(other)) return;
  exact.set(plain, other);
  for (const [name, inner] of Object.entries(plain)) {
    const twin = other[name];
    if (isContainer(inner) && isContainer(twin)) exact.set(inner, twin);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isLong(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  if (value === 0) return /^[^eE]*[1-9]/.test(source);
  return source.length > DIGITS_EXACT && source !== String(value);
}

/** An escaped half of a surrogate pair; also of one that is complete. */
const HALF = /\\u[dD][89a-fA-F]/;
const REPLACEMENT = Buffer.from('fffd');

/**
 * The JSON with U+FFFD in place of each half of a surrogate pair, in names too. In valid UTF-8 a half can only be an
 * escape, as of an emoji that was cut in two. Reads the text once, whatever is in it.
 */
export function wellFormedJson(json: string): string {
  if (!HALF.test(json)) return json;
  // Replaced in place: the escape of U+FFFD is as long as the escape of half a character.
  const bytes = Buffer.from(json);
  let changed = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== BACKSLASH) continue;
    const unit = escapedUnit(bytes, at);
    if (!isHigh(unit) && !isLow(unit)) {
      // Also skips an escaped backslash, which begins no other escape.
      at++;
    } else if (isHigh(unit) && isLow(escapedUnit(bytes, at + ESCAPE_LENGTH))) {
      at += 2 * ESCAPE_LENGTH - 1;
    } else {
      bytes.set(REPLACEMENT, at + 2);
      changed = true;
      at += ESCAPE_LENGTH - 1;
    }
  }
  return changed ? bytes.toString() : json;
}

/** As in `\ufffd`. */
const ESCAPE_LENGTH = 6;

/** The UTF-16 code unit of the escape at an index; NaN when there is none with four digits. */
function escapedUnit(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== SMALL_U) return Number.NaN;
  let unit = 0;
  for (let digit = at + 2; digit < at + ESCAPE_LENGTH; digit++) unit = unit * 16 + hexDigit(bytes[digit] ?? 0);
  return unit;
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= SMALL_A && letter <= SMALL_F ? letter - SMALL_A + 10 : Number.NaN;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The value of a body, without a byte order mark and made well-formed. Throws invalid_json: also for no body, for bytes
 * that are not UTF-8, and for what `scanJson` finds broken.
 */
export function jsonBody(arrived: Buffer): unknown {
  const isMarked = arrived.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = isMarked ? arrived.subarray(BYTE_ORDER_MARK.length) : arrived;
  if (bytes.length === 0) throw new Fault('invalid_json', { message: 'A JSON body is required, none came.' });
  if (!isUtf8(bytes)) throw new Fault('invalid_json', { message: 'The body is not valid UTF-8.' });
  const { broken, longNumbers } = scanJson(bytes);
  if (broken) throw new Fault('invalid_json', { message: `The body ${broken}.` });
  try {
    return parseJson(wellFormedJson(bytes.toString()), longNumbers);
  } catch (cause) {
    const place = cause instanceof Error ? /at position \d+/.exec(cause.message)?.[0] : undefined;
    throw new Fault('invalid_json', { message: `The body is not valid JSON${place ? ` ${place}` : ''}.`, cause });
  }
}

/** The most members and items in total: ten times those of a million-token prompt. */
export const JSON_VALUES_MAX = 100_000;

/** A number of up to this many digits has a double that prints as the same number. */
const DIGITS_EXACT = 15;

/**
 * Reads the bytes once, but skips what is in strings. `broken`: the bound that the JSON exceeds, as the end of a sentence;
 * null for none. `longNumbers`: it may have a number of more than 15 characters, or with an exponent.
 */
export function scanJson(bytes: Uint8Array): { readonly broken: string | null; readonly longNumbers: boolean } {
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
const SMALL_A = 0x61;
const SMALL_E = 0x65;
const SMALL_F = 0x66;
const SMALL_U = 0x75;
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
