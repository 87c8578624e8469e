/**
 * How long runs took, as counts in bins: each bin reaches an eighth higher than the one before, so a percentile is right
 * to six per cent however many orders there were. Counts are whole and can be added, for hours, gateways and processes.
 */
import type { RunTimes } from '#orders/ports.ts';

/** Six bins in each doubling, from 1 to 2^32: a millisecond to seven weeks, a thousandth to four million a second. */
const BINS_PER_DOUBLING = 6;
const BINS = 32 * BINS_PER_DOUBLING + 1;

/** Waits are kept by the bid over the level at the start: at most the level, up to 1.25, up to 2 times it, above. */
export const BID_BOUNDS = [0, 1, 1.25, 2] as const;

/** The quantities measured of a run, as indexes into the counts. */
const FIRST_TOKEN = 0;
const SPEED = 1;
const WAITS = 2;
const MEASURES = WAITS + BID_BOUNDS.length;

/** Bytes of one bin that is not empty: its number and its count. */
const PACKED_BYTES = 6;

/** One quantity of some orders. */
export interface Percentiles {
  readonly count: number;
  /** The quantity that this share of the orders, 0 to 1, had at most; 0 without orders. */
  at(share: number): number;
}

/** Counts of the runs of one model. Times are in milliseconds. */
export class RunCounts {
  readonly #counts = new Uint32Array(MEASURES * BINS);

  /** Counts one run: a few logarithms, and no memory. */
  add({ waitMs, bidOverLevel, firstTokenMs, tokensPerSecond }: Omit<RunTimes, 'model'>): void {
    if (firstTokenMs !== null) this.#count(FIRST_TOKEN, firstTokenMs);
    if (tokensPerSecond !== null) this.#count(SPEED, tokensPerSecond * 1000);
    if (waitMs !== null) this.#count(WAITS + groupOf(bidOverLevel), waitMs);
  }

  /** Adds what `pack` returned. Throws RangeError for bytes that no version wrote. */
  addPacked(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.byteLength; at += PACKED_BYTES) {
      const place = view.getUint16(at);
      this.#counts[place] = (this.#counts[place] ?? 0) + view.getUint32(at + 2);
    }
  }

  /** The bins that are not empty. */
  pack(): Uint8Array {
    const places = [...this.#counts.keys()].filter((place) => this.#counts[place] !== 0);
    const bytes = new Uint8Array(places.length * PACKED_BYTES);
    const view = new DataView(bytes.buffer);
    for (const [index, place] of places.entries()) {
      view.setUint16(index * PACKED_BYTES, place);
      view.setUint32(index * PACKED_BYTES + 2, this.#counts[place] ?? 0);
    }
    return bytes;
  }

  /** From admission to the first token. */
  get firstTokenMs(): Percentiles {
    return this.#percentiles([FIRST_TOKEN]);
  }

  /** Tokens a second after the first. */
  get tokensPerSecond(): Percentiles {
    const { count, at } = this.#percentiles([SPEED]);
    return { count, at: (share) => at(share) / 1000 };
  }

  /** From submission to admission, of all orders or of those with a bid in one group of `BID_BOUNDS`. */
  waitMs(group: number | null): Percentiles {
    return this.#percentiles(group === null ? BID_BOUNDS.map((_, index) => WAITS + index) : [WAITS + group]);
  }

  #count(measure: number, value: number): void {
    const place = measure * BINS + binOf(value);
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  #percentiles(measures: readonly number[]): Percentiles {
    const bins = Array.from({ length: BINS }, (_, bin) => {
      return measures.reduce((sum, measure) => sum + (this.#counts[measure * BINS + bin] ?? 0), 0);
    });
    const count = bins.reduce((sum, orders) => sum + orders, 0);
    return { count, at: (share) => valueAt(bins, Math.ceil(share * count)) };
  }
}

/** The middle of the bin in which the `place`th order is, from 1; 0 for none. */
function valueAt(bins: readonly number[], place: number): number {
  let left = Math.max(1, place);
  for (const [bin, orders] of bins.entries()) {
    left -= orders;
    if (left <= 0) return bin === 0 ? 0 : 2 ** ((bin - 0.5) / BINS_PER_DOUBLING);
  }
  return 0;
}

function binOf(value: number): number {
  if (!(value >= 1)) return 0;
  return Math.min(BINS - 1, 1 + Math.floor(Math.log2(value) * BINS_PER_DOUBLING));
}

/** The group of a bid over the level; exactly a bound is in the group below it. */
function groupOf(bidOverLevel: number): number {
  const above = BID_BOUNDS.findLastIndex((bound) => bidOverLevel > bound);
  return Math.max(0, above);
}
