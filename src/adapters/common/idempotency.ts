/**
 * The Idempotency-Key of a request, with a fingerprint that distinguishes a repeat from another request with the same
 * key. How the answer is delivered does not count: `stream` and `stream_options` are excluded, headers for price and
 * expiry are included. docs/lifecycle.md.
 */
import { createHash } from 'node:crypto';
import { NESTING_MAX } from '#base/bounds.ts';
import type { InferenceRequest, JsonObject } from '#orders/request.ts';
import { nestedTooDeeply } from '#orders/token-estimate.ts';
import { refusal } from './fields.ts';
import type { RequestHeaders } from './wire-shape.ts';

const KEY_CHARACTERS_MAX = 255;
const DELIVERY = new Set(['stream', 'stream_options']);
/** Counted only where they are sent: a request without them keeps the fingerprint that an earlier version stored. */
const ADDED_LATER = new Set(['x-max-charge-usd']);

/**
 * The key and fingerprint; null without the header, and then nothing is hashed. `headerNames` are the headers that
 * change the meaning of the request. Throws invalid_request for a key that is empty or over 255 characters.
 */
export function readIdempotency(
  body: JsonObject,
  headers: RequestHeaders,
  headerNames: readonly string[],
): InferenceRequest['idempotency'] {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > KEY_CHARACTERS_MAX)
    throw refusal('Idempotency-Key', `Idempotency-Key must have 1 to ${KEY_CHARACTERS_MAX} characters.`);
  const meant = Object.fromEntries(Object.entries(body).filter(([name]) => !DELIVERY.has(name)));
  const hash = createHash('sha256').update(canonicalJson(meant, 1));
  for (const name of headerNames) {
    const sent = headers[name];
    if (sent !== undefined || !ADDED_LATER.has(name)) hash.update(`\n${name}:${sent ?? ''}`);
  }
  return { key, fingerprint: hash.digest('hex') };
}

/** JSON with sorted keys and no spaces: equal for equal values. */
function canonicalJson(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  if (depth > NESTING_MAX) throw nestedTooDeeply();
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const object = value as JsonObject;
  const fields = Object.keys(object).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name], depth + 1)}`).join(',')}}`;
}
