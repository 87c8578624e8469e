/** The last hour, day or week in bins, as the charts of the overview and the strips of the pods show them. */
import { useChoice } from '../address.ts';
import { moment } from '../format.ts';

/** The ranges, and what each is called. */
export const PAST_RANGES = { '24h': 'day', '1h': 'hour', '7d': 'week' } as const;

export type PastRange = keyof typeof PAST_RANGES;

/** What the reader chooses from, the shortest first. */
export const RANGE_CHOICES = [
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
] as const satisfies readonly (readonly [PastRange, string])[];

/** How often a range is asked for again: a gateway records once a minute. */
export const PAST_EVERY_MS = 30_000;

/** The range that the address names, and how to choose another. */
export function useRange() {
  return useChoice<PastRange>('range', ['24h', '1h', '7d']);
}

/** The bins as the gateway describes them. */
export interface Bins {
  /** In epoch seconds. */
  readonly from: number;
  readonly bin_seconds: number;
  readonly bins: number;
}

/** Where the bins begin, in epoch seconds. */
export function binTimes({ from, bin_seconds, bins }: Bins): readonly number[] {
  return Array.from({ length: bins }, (_, bin) => from + bin * bin_seconds);
}

/** What a bin is called. */
export function binText({ from, bin_seconds }: Bins, bin: number): string {
  return moment((from + bin * bin_seconds) * 1000);
}
