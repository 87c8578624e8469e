/**
 * How low the level of a market was in each quarter of an hour of the last two days: what orders with a deadline expect of
 * the hours to come (`deadline-bids.ts`). 192 numbers, stored with each quote. docs/decisions/0057.
 */
import type { PriceNano } from '#base/money.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';

/** The length of a quarter. */
export const QUARTER_MS = 15 * MINUTE_MS;
/** Quarters of a day. */
export const DAY_QUARTERS = DAY_MS / QUARTER_MS;
const DAYS = 2;
const KEPT = DAYS * DAY_QUARTERS;
/** A level that was lower than the mean of a minute would have been of no use: orders need time to start. */
const MINUTE_S = 60;

/** As stored for a restart: the lows of the quarters up to `last`, oldest first; −1 where nothing is known. */
export type PastLevelsState = ReturnType<PastLevels['state']>;

/** The quarter of a time: whole quarters since the epoch. */
export function quarterOf(atMs: number): number {
  return Math.floor(atMs / QUARTER_MS);
}

/** The lows of one market: of each quarter the lowest mean level of a minute. Time is an argument. */
export class PastLevels {
  /** By the quarter's number modulo `KEPT`: its number and its low. */
  readonly #quarters = new Float64Array(KEPT).fill(-1);
  readonly #lows = new Float64Array(KEPT);
  #sum = 0;
  #seconds = 0;

  constructor(state?: PastLevelsState) {
    const { last = 0, lows = [] } = state ?? {};
    for (const [at, low] of lows.entries()) {
      const quarter = last - lows.length + 1 + at;
      if (low >= 0 && quarter >= 0) this.#set(quarter, low);
    }
  }

  /** This was the level for a second. */
  count(level: PriceNano, nowMs: number): void {
    this.#sum += level;
    this.#seconds++;
    if (this.#seconds < MINUTE_S) return;
    const quarter = quarterOf(nowMs);
    const mean = this.#sum / MINUTE_S;
    this.#set(quarter, Math.min(mean, this.low(quarter) ?? mean));
    [this.#sum, this.#seconds] = [0, 0];
  }

  /** The low of a quarter, so far for the present one; null where nothing is known. */
  low(quarter: number): number | null {
    const at = quarter % KEPT;
    return quarter >= 0 && this.#quarters[at] === quarter ? (this.#lows[at] ?? null) : null;
  }

  /**
   * What the low of a quarter after that of `nowMs` is expected to be: the higher one of the last two days at this time of
   * day; null where nothing is known.
   */
  expected(quarter: number, nowMs: number): number | null {
    const latest = quarter - (Math.floor((quarter - quarterOf(nowMs)) / DAY_QUARTERS) + 1) * DAY_QUARTERS;
    const [one, two] = [this.low(latest), this.low(latest - DAY_QUARTERS)];
    return one === null || two === null ? (one ?? two) : Math.max(one, two);
  }

  /** The state to store; whole nano-dollars. */
  state() {
    const last = this.#quarters.reduce((one, other) => Math.max(one, other), 0);
    const lows: number[] = [];
    for (let quarter = last - KEPT + 1; quarter <= last; quarter++) {
      const low = this.low(quarter);
      // Without the unknown ones before the first.
      if (low !== null || lows.length > 0) lows.push(Math.round(low ?? -1));
    }
    return { last, lows };
  }

  #set(quarter: number, low: number): void {
    this.#quarters[quarter % KEPT] = quarter;
    this.#lows[quarter % KEPT] = low;
  }
}
