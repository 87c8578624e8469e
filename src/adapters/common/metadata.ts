/** Metadata: string pairs that a caller attaches to responses and batches and gets back. Spec 2.6, 8. */
import type { components } from '#generated/types.ts';
import { hasAtMost, refusal } from './fields.ts';

const KEY_CHARACTERS_MAX = 64;

/** Checks the length of the keys, which the schema cannot express. Throws invalid_request. */
export function checkMetadata(metadata: components['schemas']['Metadata'] | undefined): void {
  if (!Object.keys(metadata ?? {}).every((key) => hasAtMost(key, KEY_CHARACTERS_MAX)))
    throw refusal('metadata', `Keys of metadata must have at most ${KEY_CHARACTERS_MAX} characters.`);
}
