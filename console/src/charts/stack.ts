/** Sums over time as bars of stacked parts: the largest parts by name, and the rest as one. */

/** A sum of a moment and a name. */
export interface Summed {
  readonly atMs: number;
  readonly name: string;
  readonly value: number;
}

/** Bars, one for each time; `parts` are in the order of `names`. */
export interface Stack {
  readonly names: readonly string[];
  readonly bars: readonly { readonly atMs: number; readonly parts: readonly number[] }[];
}

/** More parts than these cannot be told apart; the others are one. */
const NAMES_MAX = 5;
const OTHERS = 'others';

/** The moments from `fromMs` to `toMs`, `stepMs` apart. Both ends are inclusive. */
export function momentsOf(fromMs: number, toMs: number, stepMs: number): number[] {
  const begin = fromMs - (fromMs % stepMs);
  return Array.from({ length: Math.max(1, Math.floor((toMs - begin) / stepMs) + 1) }, (_, at) => begin + at * stepMs);
}

/** The sums as bars at `times`; with `names` in their order, else the largest first. Sums of other times are left out. */
export function stackOf(sums: readonly Summed[], times: readonly number[], names?: readonly string[]): Stack {
  const known = names ?? largest(sums);
  const placeOf = new Map(known.map((name, place) => [name, place]));
  const bars = new Map(times.map((atMs) => [atMs, known.map(() => 0)]));
  for (const { atMs, name, value } of sums) {
    const parts = bars.get(atMs);
    const place = placeOf.get(name) ?? known.length - 1;
    if (parts) parts[place] = (parts[place] ?? 0) + value;
  }
  return { names: known, bars: [...bars].map(([atMs, parts]) => ({ atMs, parts })) };
}

function largest(sums: readonly Summed[]): string[] {
  const totals = new Map<string, number>();
  for (const { name, value } of sums) totals.set(name, (totals.get(name) ?? 0) + value);
  const names = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return names.length <= NAMES_MAX ? names : [...names.slice(0, NAMES_MAX - 1), OTHERS];
}
