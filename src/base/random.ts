/**
 * Random numbers. `seededRandom` repeats the same sequence for the same seed, so its users can be replayed.
 * `systemRandom` is for anything that must be unpredictable.
 */
import { randomBytes } from 'node:crypto';

/** A source of numbers from 0 (inclusive) to 1 (exclusive). */
export interface Random {
  next(): number;
}

/** Not reproducible and not predictable: for keys, ids, jitter. */
export const systemRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};

/** The same sequence for the same seed on every machine (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** The hash of no text. */
export const HASH_START = 0x811c9dc5;

/** A 32-bit hash of a text: FNV-1a over its UTF-16 units. `from` is the hash of what comes before, or a seed. */
export function hashOf(text: string, from = HASH_START): number {
  let hash = from;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A standard normal draw (Box-Muller) from two draws of `random`. */
export function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/** The quantile of the normal distribution by Tukey's approximation, accurate to 2 % up to 0.999. */
export function normalQuantile(share: number): number {
  return 4.91 * (share ** 0.14 - (1 - share) ** 0.14);
}
