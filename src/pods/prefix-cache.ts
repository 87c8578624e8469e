/**
 * A model of an engine's prefix cache: a prompt that begins like an earlier one finds that prefix cached, in blocks. A
 * block is identified by a hash of all text up to its end, so it is found only after the same preceding blocks.
 */
import { HASH_START, hashOf } from '#base/random.ts';

/** Characters per block: about sixteen tokens, as in vLLM. */
const BLOCK_CHARACTERS = 64;
/** The number of blocks kept; the oldest are evicted. */
const BLOCKS_MAX = 16_384;
/** Only this much of a prompt's beginning is considered. */
const CHARACTERS_MAX = 262_144;

/** The cache of one simulated pod. */
export class PrefixCache {
  /** In order of last use. */
  readonly #blocks = new Set<number>();

  /** Adds a prompt. Returns how many of its first characters were already cached. */
  take(prompt: string): number {
    const end = Math.min(prompt.length, CHARACTERS_MAX) - BLOCK_CHARACTERS;
    let hash = HASH_START;
    let cached = 0;
    for (let start = 0; start <= end; start += BLOCK_CHARACTERS) {
      hash = hashOf(prompt.slice(start, start + BLOCK_CHARACTERS), hash);
      if (this.#blocks.delete(hash) && cached === start) cached = start + BLOCK_CHARACTERS;
      this.#blocks.add(hash);
    }
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= BLOCKS_MAX) break;
      this.#blocks.delete(oldest);
    }
    return cached;
  }
}
