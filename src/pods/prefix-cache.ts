/**
 * A model of an engine's prefix cache: a prompt that begins like an earlier one finds that prefix cached, in blocks. A
 * block is identified by a hash of all text up to its end, so it is found only after the same preceding blocks.
 */

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
    let hash = 0x811c9dc5;
    let cached = 0;
    for (let start = 0; start <= end; start += BLOCK_CHARACTERS) {
      hash = extend(hash, prompt, start);
      if (this.#blocks.delete(hash) && cached === start) cached = start + BLOCK_CHARACTERS;
      this.#blocks.add(hash);
    }
    this.#forget();
    return cached;
  }

  #forget(): void {
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= BLOCKS_MAX) return;
      this.#blocks.delete(oldest);
    }
  }
}

/** FNV-1a over the characters of one block. */
function extend(hash: number, text: string, start: number): number {
  let extended = hash;
  for (let position = start; position < start + BLOCK_CHARACTERS; position++)
    extended = Math.imul(extended ^ text.charCodeAt(position), 0x01000193);
  return extended >>> 0;
}
