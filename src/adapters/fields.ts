/**
 * Reading the fields of a request body one at a time. An optional scalar that is null reads as absent (Spec 4.1), and
 * every reader throws invalid_request naming its field. The published schema says most of this too, but bodies of
 * batch lines never pass it, so the shapes rely on these readers alone.
 */
import { OUTPUT_CAP_MAX, STOP_SEQUENCES } from '#base/bounds.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';

/** Inclusive bounds. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A refusal of `param`, in a sentence that says what it should have been. */
export function refusal(param: string, message: string, code: FaultCode = 'invalid_request'): Fault {
  return new Fault(code, { param, message });
}

/** The body as an object. Throws when it is anything else. */
export function objectBody(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new Fault('invalid_request', { message: 'The body must be a JSON object.' });
}

/** Whether `value` is an object with keys: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number within `bounds`; null when absent. */
export function optionalNumber(body: JsonObject, name: string, { min, max }: Bounds): number | null {
  const value = body[name] ?? null;
  if (value === null || (typeof value === 'number' && value >= min && value <= max)) return value;
  throw refusal(name, `${name} must be a number from ${min} to ${max}.`);
}

/** true or false; null when absent. */
export function optionalBoolean(body: JsonObject, name: string): boolean | null {
  const value = body[name] ?? null;
  if (value === null || typeof value === 'boolean') return value;
  throw refusal(name, `${name} must be true or false.`);
}

/** Text; null when absent. */
export function optionalString(body: JsonObject, name: string): string | null {
  const value = body[name] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw refusal(name, `${name} must be a string.`);
}

/** An object; null when absent. */
export function optionalObject(body: JsonObject, name: string): JsonObject | null {
  const value = body[name] ?? null;
  if (value === null || isObject(value)) return value;
  throw refusal(name, `${name} must be an object.`);
}

/** The output cap under the first of `names` that is there; null when none is. Throws invalid_output_cap. */
export function outputCap(body: JsonObject, names: readonly string[]): number | null {
  let cap: number | null = null;
  for (const name of names) {
    const value = body[name] ?? null;
    if (value === null) continue;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > OUTPUT_CAP_MAX)
      throw refusal(name, `${name} must be a whole number from 1 to ${OUTPUT_CAP_MAX}.`, 'invalid_output_cap');
    cap ??= value;
  }
  return cap;
}

/** Checks stop strings: one string, or up to four, each up to 256 characters. Spec 8. */
export function checkStop(body: JsonObject, name: string): void {
  const value = body[name] ?? null;
  if (value === null) return;
  const strings: unknown[] = Array.isArray(value) ? value : [value];
  const { max, lengthMax } = STOP_SEQUENCES;
  if (strings.length > max || !strings.every((text) => typeof text === 'string' && hasAtMost(text, lengthMax)))
    throw refusal(name, `${name} takes up to ${max} strings of up to ${lengthMax} characters each.`);
}

/** Counts characters as people and JSON Schema do, code points, but only of texts that could be short enough. */
export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);
}

/** The body without the keys in `removed`, and without the keys in `scalars` that are null. A shallow copy. */
export function forwardedBody(
  body: JsonObject,
  removed: ReadonlySet<string>,
  scalars: ReadonlySet<string>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !removed.has(name) && !(value === null && scalars.has(name))),
  );
}
