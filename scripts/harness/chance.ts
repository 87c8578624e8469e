/** Draws of a seeded source, by name. */
import type { Random } from '#base/random.ts';

/** True in this share of the draws. */
export function chance(random: Random, share: number): boolean {
  return random.next() < share;
}

/** A whole number from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random.next() * (most - least + 1));
}

/** One of these. Throws when there are none. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random.next() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

/** Twelve letters and digits that a later run with the same seed draws again. */
export function name(random: Random): string {
  const half = () =>
    between(random, 0, 36 ** 6 - 1)
      .toString(36)
      .padStart(6, '0');
  return half() + half();
}
