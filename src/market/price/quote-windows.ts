/**
 * The windows of a quote. The price of the next window is the median of ten readings at random instants of the last two seconds of this one.
 * Nobody can predict the instants, so bids shown around a latch, or at any ten moments, move nothing. Readings need no
 * timer: a market stands still between two changes, so those that are due are taken before the next change (`count`).
 * docs/decisions/0011.
 */
import type { PriceNano } from '#base/money.ts';
import type { Random } from '#base/random.ts';
import type { PriceBounds } from '../listing.ts';

/** One reading. `calibrated`: whether the correction influenced it. */
export interface Reading {
  readonly price: PriceNano;
  readonly calibrated: boolean;
}

/** A quote and its window, from `atMs` to before `untilMs`. `previousPrice` is null in a process's first window. */
export interface StandingQuote extends Reading {
  readonly previousPrice: PriceNano | null;
  readonly atMs: number;
  readonly untilMs: number;
}

interface WindowOptions {
  /** Windows end at multiples of this. */
  readonly intervalMs: number;
  /** Read when they count. */
  readonly bounds: PriceBounds;
  readonly random: Random;
  /** Reads the quote of the market at `atMs`; null when it cannot be read, and then the previous price stays. */
  readonly read: (atMs: number) => Reading | null;
  /** A window began. */
  readonly latched: (quote: StandingQuote) => void;
}

const READINGS = 10;
/** Readings are taken in the last part of a window, this long, so that the next quote uses the newest state. */
const READ_MS = 2000;

/** The standing quote of one market. */
export class QuoteWindows {
  readonly #options: WindowOptions;
  #standing: StandingQuote;
  /** When the readings of this window are due, latest first. */
  #dueMs: number[];
  #readings: Reading[] = [];

  /** `price`, limited to the bounds, stands until the first window ends. Does not call `latched`. */
  constructor(options: WindowOptions, price: PriceNano, nowMs: number) {
    this.#options = options;
    const { intervalMs } = options;
    const untilMs = (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
    this.#standing = { price: this.#within(price), calibrated: false, previousPrice: null, atMs: nowMs, untilMs };
    this.#dueMs = this.#instants();
  }

  get standing(): StandingQuote {
    return this.#standing;
  }

  /**
   * Takes the readings that are due and latches the quotes of windows that ended. Call it before every market change.
   * After the clock steps back, the quote stands until its end comes again: backward windows could not be audited.
   */
  count(nowMs: number): void {
    for (;;) {
      const dueMs = this.#dueMs.at(-1);
      if (dueMs !== undefined && dueMs <= nowMs) {
        this.#dueMs.pop();
        const reading = this.#options.read(dueMs);
        if (reading) this.#readings.push(reading);
      } else if (this.#standing.untilMs <= nowMs) this.#latch(nowMs);
      else return;
    }
  }

  /** Windows that passed while the process slept are skipped. */
  #latch(nowMs: number): void {
    const { intervalMs, latched } = this.#options;
    const { price, untilMs } = this.#standing;
    const atMs = Math.max(untilMs, Math.floor(nowMs / intervalMs) * intervalMs);
    const { price: read, calibrated } = medianOf(this.#readings) ?? { price, calibrated: false };
    this.#standing = { price: this.#within(read), calibrated, previousPrice: price, atMs, untilMs: atMs + intervalMs };
    this.#readings = [];
    this.#dueMs = this.#instants();
    latched(this.#standing);
  }

  #instants(): number[] {
    const { atMs, untilMs } = this.#standing;
    const fromMs = Math.max(atMs, untilMs - READ_MS);
    const instants = Array.from({ length: READINGS }, () => fromMs + this.#options.random.next() * (untilMs - fromMs));
    return instants.sort((a, b) => b - a);
  }

  #within(price: PriceNano): PriceNano {
    const { floor, ceiling } = this.#options.bounds;
    return Math.min(ceiling, Math.max(floor, price));
  }
}

/** The median in whole nano-dollars; of an even number, the mean of the middle two. Null for no readings. */
function medianOf(readings: readonly Reading[]): Reading | null {
  if (readings.length === 0) return null;
  const prices = readings.map(({ price }) => price).sort((a, b) => a - b);
  const [lower = 0, upper = 0] = [prices[(prices.length - 1) >> 1], prices[prices.length >> 1]];
  const calibrated = readings.filter((reading) => reading.calibrated).length * 2 > readings.length;
  return { price: Math.round((lower + upper) / 2), calibrated };
}
