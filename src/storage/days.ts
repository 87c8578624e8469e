/** Periods in whole UTC days, for sums that are kept by day: a period is whole days and what hangs over at either end. */

export const DAY_MS = 86_400_000;

/** Inclusive bounds in epoch milliseconds; null for none. */
export interface Period {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The UTC day of a time, counted from the epoch. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** `days` is null when the period holds no whole day; its bounds are inclusive, null for none. Edges are never empty. */
export function splitByDay({ fromMs, toMs }: Period): {
  readonly days: { readonly first: number | null; readonly last: number | null } | null;
  readonly edges: readonly Period[];
} {
  const first = fromMs === null ? null : Math.ceil(fromMs / DAY_MS);
  const last = toMs === null ? null : Math.floor((toMs + 1) / DAY_MS) - 1;
  if (first !== null && last !== null && last < first) return { days: null, edges: [{ fromMs, toMs }] };
  const edges: Period[] = [];
  if (fromMs !== null && first !== null && fromMs < first * DAY_MS) edges.push({ fromMs, toMs: first * DAY_MS - 1 });
  if (toMs !== null && last !== null && toMs >= (last + 1) * DAY_MS) edges.push({ fromMs: (last + 1) * DAY_MS, toMs });
  return { days: { first, last }, edges };
}
