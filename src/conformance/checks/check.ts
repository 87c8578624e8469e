/** What a check is, and the assertions that many of them make. */
import assert from 'node:assert/strict';
import type { Gateway, HttpAnswer, Json } from './gateway.ts';

/** One promise of the specification, tried from outside. */
export interface Check {
  /** Ids of the sentences that it tries, such as `4.2-7`; generated/specification/map.md has their words. */
  readonly sentences: readonly string[];
  /** What must hold, as a sentence. Names do not change, so that tables can be compared. */
  readonly name: string;
  /** Resolves when it holds. Throws an AssertionError that says what was seen when it does not, and Absent. */
  readonly run: (gateway: Gateway) => Promise<unknown>;
}

/** Checks that belong together. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** A check of what any gateway of these shapes has. `sentences` are ids, with spaces between. */
export function check(sentences: string, name: string, run: Check['run']): Check {
  return { sentences: sentences.split(' '), name, run };
}

/** A check of what only a gateway with a market has: absent of any other. */
export function marketCheck(sentences: string, name: string, run: Check['run']): Check {
  return check(sentences, name, async (gateway) => {
    await gateway.market();
    await run(gateway);
  });
}

/** The JSON of an answer with this status. */
export function jsonWith(answer: HttpAnswer, status: number): Json {
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text.slice(0, 200)}`);
  assert.ok(answer.json, `the body is no JSON object: ${answer.text.slice(0, 200)}`);
  return answer.json;
}

/** The JSON of a request that was carried out, whose shape a field names, such as `object` or `type`. */
export function carriedOut(answer: HttpAnswer, name: string, shape: string): Json {
  const json = jsonWith(answer, 200);
  isEqual(json, name, shape);
  return json;
}

/** A refusal in the envelope of OpenAI; its code is `code` where one is given. */
export function refused(answer: HttpAnswer, status: number, code?: string): { message: string; param: unknown } {
  const error = objectIn(jsonWith(answer, status), 'error');
  const message = textIn(error, 'message', 'error.message');
  textIn(error, 'type', 'error.type');
  if (code) assert.equal(error.code, code, `error.code is ${JSON.stringify(error.code)} instead of ${code}`);
  return { message, param: error.param };
}

/** A refusal in the envelope of Anthropic, with this type. */
export function refusedMessage(answer: HttpAnswer, status: number, type: string): Json {
  const body = jsonWith(answer, status);
  assert.equal(body.type, 'error', `type is ${JSON.stringify(body.type)}`);
  const error = objectIn(body, 'error');
  assert.equal(error.type, type, `error.type is ${JSON.stringify(error.type)} instead of ${type}`);
  textIn(error, 'message', 'error.message');
  return error;
}

/** A field that is an object. */
export function objectIn(json: unknown, name: string): Json {
  const value = (json as Json | undefined)?.[name];
  assert.ok(typeof value === 'object' && value !== null, `${name} is ${JSON.stringify(value)}, not an object`);
  return value as Json;
}

/** A field that is a list, whatever is in it. */
export function listIn(json: Json, name: string): Json[] {
  const value = json[name];
  assert.ok(Array.isArray(value), `${name} is ${JSON.stringify(value)}, not a list`);
  return value;
}

/** The first item of a field that is a list. */
export function firstOf(json: Json, name: string): Json {
  const [first] = listIn(json, name);
  assert.ok(first, `${name} is an empty list`);
  return first;
}

/** A field that is a number from 0. */
export function countIn(json: Json, name: string): number {
  const value = json[name];
  assert.ok(typeof value === 'number' && value >= 0, `${name} is ${JSON.stringify(value)}, not a number from 0`);
  return value;
}

/** A field that is text, and not empty. */
export function textIn(json: Json, name: string, shown = name): string {
  const value = json[name];
  assert.ok(typeof value === 'string' && value !== '', `${shown} is ${JSON.stringify(value)}, not a text`);
  return value;
}

/** A field that is a time as ISO 8601 writes it, in milliseconds. */
export function timeIn(json: Json, name: string): number {
  const text = textIn(json, name);
  assert.match(
    text,
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    `${name} is ${text}, no ISO time`,
  );
  return Date.parse(text);
}

/** A field that is a time in whole seconds since the epoch, of this century. */
export function epochSecondsIn(json: Json, name: string): number {
  const value = json[name];
  const isTime = Number.isInteger(value) && Number(value) > 946_684_800 && Number(value) < 4_102_444_800;
  assert.ok(isTime, `${name} is ${JSON.stringify(value)}, not seconds since the epoch`);
  return Number(value);
}

/** A field with one of these values. */
export function isOneOf(json: Json, name: string, values: readonly unknown[]): void {
  assert.ok(values.includes(json[name]), `${name} is ${JSON.stringify(json[name])}, none of ${values.join(', ')}`);
}

/** Every one of these fields is there, null or not. */
export function hasFields(json: Json, ...names: readonly string[]): void {
  const missing = names.filter((name) => !(name in json));
  assert.deepEqual(missing, [], `there is no ${missing.join(', ')}`);
}

/** A field with exactly this value. */
export function isEqual(json: Json, name: string, value: unknown): void {
  assert.deepEqual(json[name], value, `${name} is ${JSON.stringify(json[name])} instead of ${JSON.stringify(value)}`);
}

/** The text of a stream with status 200. */
export function streamOf({ status, headers, text }: HttpAnswer): string {
  assert.equal(status, 200, `${status} instead of 200: ${text.slice(0, 200)}`);
  const type = headers.get('content-type') ?? 'none';
  assert.match(type, /^text\/event-stream/, `the content type of a stream is ${type}`);
  return text;
}
