/** The options that chat and text completions share, with the same rules. Spec 4.2, 4.3. */
import type { Extensions, JsonObject } from '#orders/request.ts';
import { checkStop, optionalBoolean, optionalNumber, optionalObject, refusal } from './fields.ts';

/** What says who asks and for what. It is kept in the request log and never sent to a model. */
export const ASKER_FIELDS = ['user', 'safety_identifier', 'metadata', 'prompt_cache_key'] as const;

/** The fields of a body that say who asks; null when none does. */
export function askerOf(body: JsonObject): JsonObject | null {
  const said = ASKER_FIELDS.filter((name) => (body[name] ?? null) !== null);
  return said.length === 0 ? null : Object.fromEntries(said.map((name) => [name, body[name]]));
}

/** Checks how an answer is drawn: temperature, top_p, stop, seed, n and best_of. Throws invalid_request. */
export function checkSampling(body: JsonObject): void {
  optionalNumber(body, 'temperature', { min: 0, max: 2 });
  optionalNumber(body, 'top_p', { min: 0, max: 1 });
  checkStop(body, 'stop');
  checkSeed(body);
  for (const name of ['n', 'best_of']) {
    if ((body[name] ?? 1) !== 1) throw refusal(name, `${name} must be 1: a request is one order for one answer.`);
  }
}

/** A whole number that JSON and the model read alike: a larger one would be forwarded as another number. */
function checkSeed({ seed }: JsonObject): void {
  if ((seed ?? null) !== null && !Number.isSafeInteger(seed))
    throw refusal('seed', `seed must be a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`);
}

/** Whether a stream is to end with a usage chunk. */
export function includesUsage(body: JsonObject): boolean {
  const options = optionalObject(body, 'stream_options');
  return options !== null && optionalBoolean(options, 'include_usage') === true;
}

/** Refuses a request that wants to leave and to listen at once. */
export function checkDetached({ detached }: Extensions, stream: boolean): void {
  if (detached && stream)
    throw refusal('detached', 'A detached request has no connection to stream to: send detached or stream, not both.');
}
