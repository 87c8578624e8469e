/**
 * Helpers to read the fields of a validated body that validators do not check: those with `x-takes`, which only the
 * types describe. Such a field is `unknown` until it is read here. Null counts as absent. Spec 4.1.
 */
import { Fault, type FaultCode } from '#base/fault.ts';
import type { components } from '#generated/types.ts';
import type { JsonObject } from '#orders/request.ts';

/** A refusal of `param`; the message says what it must be. */
export function refusal(param: string, message: string, code: FaultCode = 'invalid_request'): Fault {
  return new Fault(code, { param, message });
}

/** Whether `value` is an object with keys: not null, not an array, not a long number (`base/exact-json.ts`). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** The string in a field of an item, part or block at `place`. Throws invalid_request when it is not a string. */
export function stringField(fields: JsonObject, name: string, place: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw refusal(`${place}.${name}`, `${place}.${name} must be a string.`);
}

/** The name, the description and the schema of a function tool; the last two may be null. Throws invalid_request. */
export function functionFields(tool: JsonObject, place: string, schemaField: string) {
  const { name, description = null, [schemaField]: schema = null } = tool;
  if (typeof name !== 'string' || name === '')
    throw refusal(`${place}.name`, `${place}.name must be a non-empty string.`);
  if (description !== null && typeof description !== 'string')
    throw refusal(`${place}.description`, `${place}.description must be a string.`);
  if (schema !== null && !isObject(schema))
    throw refusal(`${place}.${schemaField}`, `${place}.${schemaField} must be an object.`);
  return { name, description, schema };
}

/** Counts characters as JSON Schema does, by code points, but only in texts that could be short enough. */
export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);
}

/** A shallow copy of the body without the keys in `removed`, and without keys in `scalars` whose value is null. */
export function forwardedBody(
  body: JsonObject,
  removed: ReadonlySet<string>,
  scalars: ReadonlySet<string>,
): JsonObject {
  const forwarded: Record<string, unknown> = {};
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (removed.has(name) || (value === null && scalars.has(name))) continue;
    // An assignment would change the prototype.
    if (name === '__proto__') Object.defineProperty(forwarded, name, { ...PLAIN, value });
    else forwarded[name] = value;
  }
  return forwarded;
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

/** How many tags a request may have. */
export const TAGS_MAX = 5;

/** What tags must be, as a sentence about the field or header. */
export function tagsRule(param: string): string {
  return `${param} must be at most ${TAGS_MAX} words, each of 1 to 32 letters, digits, ".", "_", ":" or "-".`;
}

const KEY_CHARACTERS_MAX = 64;

/** Checks the length of the keys of metadata, which the schema cannot express. Throws invalid_request. Spec 2.6, 8. */
export function checkMetadata(metadata: components['schemas']['Metadata'] | undefined): void {
  if (!Object.keys(metadata ?? {}).every((key) => hasAtMost(key, KEY_CHARACTERS_MAX)))
    throw refusal('metadata', `Keys of metadata must have at most ${KEY_CHARACTERS_MAX} characters.`);
}
