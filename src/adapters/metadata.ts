/** Metadata: string pairs that a caller attaches and gets back, on responses as on batches. Spec 2.6, 8. */
import type { JsonObject } from '#orders/request.ts';
import { hasAtMost, optionalObject, refusal } from './fields.ts';

const MOST = { pairs: 16, keyCharacters: 64, valueCharacters: 512 };

/** Checks `metadata`; absent and null are well. Throws invalid_request. */
export function checkMetadata(body: JsonObject): void {
  const pairs = Object.entries(optionalObject(body, 'metadata') ?? {});
  if (pairs.length > MOST.pairs) throw refusal('metadata', `metadata takes up to ${MOST.pairs} pairs.`);
  for (const [key, value] of pairs) {
    if (!hasAtMost(key, MOST.keyCharacters))
      throw refusal('metadata', `A key of metadata has up to ${MOST.keyCharacters} characters.`);
    if (typeof value !== 'string' || !hasAtMost(value, MOST.valueCharacters))
      throw refusal('metadata', `A value of metadata is a string of up to ${MOST.valueCharacters} characters.`);
  }
}
