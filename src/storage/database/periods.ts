/** Splits periods into whole UTC days and hours, by which sums are stored, and what is left over at either end. */
import { DAY_MS, HOUR_MS } from '#base/time.ts';

/** Inclusive bounds in epoch milliseconds; null for none. */
export interface Period {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Days or hours, counted from the epoch; inclusive, null for no bound. */
export interface Units {
  readonly first: number | null;
  readonly last: number | null;
}

/** The UTC day of a time, counted from the epoch. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** The UTC hour of a time, counted from the epoch. */
export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** The whole units of `unitMs` in a period, null when there are none, and what is left of it. Edges are never empty. */
export function split(
  { fromMs, toMs }: Period,
  unitMs: number,
): { readonly whole: Units | null; readonly edges: readonly Period[] } {
  const first = fromMs === null ? null : Math.ceil(fromMs / unitMs);
  const last = toMs === null ? null : Math.floor((toMs + 1) / unitMs) - 1;
  if (first !== null && last !== null && last < first) {
    return { whole: null, edges: isEmpty({ fromMs, toMs }) ? [] : [{ fromMs, toMs }] };
  }
  const edges: Period[] = [];
  if (fromMs !== null && first !== null && fromMs < first * unitMs) edges.push({ fromMs, toMs: first * unitMs - 1 });
  if (toMs !== null && last !== null && toMs >= (last + 1) * unitMs) edges.push({ fromMs: (last + 1) * unitMs, toMs });
  return { whole: { first, last }, edges };
}

/** The intersection of two periods; it may be empty. */
export function overlap(one: Period, other: Period): Period {
  return {
    fromMs:
      one.fromMs === null || other.fromMs === null ? (one.fromMs ?? other.fromMs) : Math.max(one.fromMs, other.fromMs),
    toMs: one.toMs === null || other.toMs === null ? (one.toMs ?? other.toMs) : Math.min(one.toMs, other.toMs),
  };
}

/** Whether a period is empty. */
export function isEmpty({ fromMs, toMs }: Period): boolean {
  return fromMs !== null && toMs !== null && toMs < fromMs;
}
