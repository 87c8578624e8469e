/**
 * JSON with numbers that a double cannot keep. `parseJson` reads as `JSON.parse` does, so everyone sees plain numbers;
 * where a number in the text has more digits than a double, a second reading keeps it as written, and `exactly` returns
 * that one for whoever forwards it. In it such a number is a `JSON.rawJSON` object, which `JSON.stringify` prints.
 */
import { isUtf8 } from 'node:buffer';
import { Fault } from './fault.ts';
import { DIGITS_EXACT, scanJson } from './json-bounds.ts';

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

/** The value of a JSON text; `longNumbers` is what `scanJson` said of it. Throws a SyntaxError, as JSON.parse does. */
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

/** A copy in which every number is plain again, for whoever computes with it. */
export function plainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return JSON.parse(value.rawJSON);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isContainer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainNumbers(inner)]));
}

/** Also what is directly inside, because the line of a batch has a request as a field. */
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

/**
 * The value of a body. Throws invalid_json: also for no body, for bytes that are not UTF-8, and for what `scanJson` finds
 * broken.
 */
export function jsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Fault('invalid_json', { message: 'A JSON body is required, none came.' });
  if (!isUtf8(bytes)) throw new Fault('invalid_json', { message: 'The body is not valid UTF-8.' });
  const { broken, longNumbers } = scanJson(bytes);
  if (broken) throw new Fault('invalid_json', { message: `The body ${broken}.` });
  try {
    return parseJson(bytes.toString(), longNumbers);
  } catch (cause) {
    const place = cause instanceof Error ? /at position \d+/.exec(cause.message)?.[0] : undefined;
    throw new Fault('invalid_json', { message: `The body is not valid JSON${place ? ` ${place}` : ''}.`, cause });
  }
}
