/**
 * A model of an engine's prefix cache: a prompt that begins like an earlier one finds that beginning cached, in blocks.
 * Blocks are known by a hash of all text up to their end, so a block is only found behind the blocks it stood behind.
 */

/** Letters to a block; about sixteen tokens, as vLLM has it. */
const BLOCK_LETTERS = 64;
/** Blocks remembered; the oldest are forgotten. */
const BLOCKS_MAX = 16_384;
/** The beginning of a prompt that is looked at. */
const LETTERS_MAX = 262_144;

/** The cache of one simulated pod. */
export class PrefixCache {
  /** In the order of their last use. */
  readonly #blocks = new Set<number>();

  /** Takes a prompt; returns how many of its first letters were there already. */
  take(prompt: string): number {
    const end = Math.min(prompt.length, LETTERS_MAX) - BLOCK_LETTERS;
    let hash = 0x811c9dc5;
    let cached = 0;
    for (let start = 0; start <= end; start += BLOCK_LETTERS) {
      hash = extend(hash, prompt, start);
      if (this.#blocks.delete(hash) && cached === start) cached = start + BLOCK_LETTERS;
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

/** FNV-1a over the letters of one block. */
function extend(hash: number, text: string, start: number): number {
  let extended = hash;
  for (let place = start; place < start + BLOCK_LETTERS; place++)
    extended = Math.imul(extended ^ text.charCodeAt(place), 0x01000193);
  return extended >>> 0;
}
