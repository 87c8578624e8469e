/**
 * Windows in which a quote stands. The price of the next window is the median of ten readings at instants of this one
 * that nobody can know beforehand: whoever shows bids around a latch, or at any ten moments, moves nothing. A reading
 * needs no timer of its own: between two changes a market stands still, so the readings that fell due are taken before
 * the next change is made (`count`). docs/decisions/0011.
 */
import type { PriceNano } from '#base/money.ts';
import type { Random } from '#base/random.ts';

/** One reading. `calibrated` tells whether the correction had a part in it. */
export interface Reading {
  readonly price: PriceNano;
  readonly calibrated: boolean;
}

/** A quote and its window, from `atMs` to before `untilMs`. `previousPrice` is null in the first window of a process. */
export interface StandingQuote extends Reading {
  readonly previousPrice: PriceNano | null;
  readonly atMs: number;
  readonly untilMs: number;
}

/** What windows are made of. */
export interface WindowParts {
  /** Windows end at the multiples of this. */
  readonly intervalMs: number;
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  readonly random: Random;
  /** The quote as the market stands, at `atMs`; null while there is none to be read, and the one before stays. */
  readonly read: (atMs: number) => Reading | null;
  /** A window began. */
  readonly latched: (quote: StandingQuote) => void;
}

const READINGS = 10;

/** The standing quote of one market. */
export class QuoteWindows {
  readonly #parts: WindowParts;
  #standing: StandingQuote;
  /** When the readings of this window are due, the next one last. */
  #dueMs: number[];
  #readings: Reading[] = [];

  /** `price` stands, brought within the bounds, until the first window ends. Latches nothing yet. */
  constructor(parts: WindowParts, price: PriceNano, nowMs: number) {
    this.#parts = parts;
    const { intervalMs } = parts;
    const untilMs = (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
    this.#standing = { price: this.#within(price), calibrated: false, previousPrice: null, atMs: nowMs, untilMs };
    this.#dueMs = this.#instants();
  }

  get standing(): StandingQuote {
    return this.#standing;
  }

  /**
   * Takes the readings that fell due and turns the windows that ended. Call it before every change of the market. After
   * a step back of the clock the quote stands until its end comes again: windows that run backwards cannot be audited.
   */
  count(nowMs: number): void {
    for (;;) {
      const dueMs = this.#dueMs.at(-1);
      if (dueMs !== undefined && dueMs <= nowMs) {
        this.#dueMs.pop();
        const reading = this.#parts.read(dueMs);
        if (reading) this.#readings.push(reading);
      } else if (this.#standing.untilMs <= nowMs) this.#turn(nowMs);
      else return;
    }
  }

  /** Windows that were slept through are left out. */
  #turn(nowMs: number): void {
    const { intervalMs, latched } = this.#parts;
    const { price, untilMs } = this.#standing;
    const atMs = Math.max(untilMs, Math.floor(nowMs / intervalMs) * intervalMs);
    const { price: read, calibrated } = medianOf(this.#readings) ?? { price, calibrated: false };
    this.#standing = {
      price: this.#within(read),
      calibrated,
      previousPrice: price,
      atMs,
      untilMs: atMs + intervalMs,
    };
    this.#readings = [];
    this.#dueMs = this.#instants();
    latched(this.#standing);
  }

  #instants(): number[] {
    const { atMs, untilMs } = this.#standing;
    const instants = Array.from({ length: READINGS }, () => atMs + this.#parts.random.next() * (untilMs - atMs));
    return instants.sort((a, b) => b - a);
  }

  #within(price: PriceNano): PriceNano {
    return Math.min(this.#parts.ceiling, Math.max(this.#parts.floor, price));
  }
}

/** Of an even number the mean of the two in the middle, in whole nano-dollars. Null of none. */
function medianOf(readings: readonly Reading[]): Reading | null {
  if (readings.length === 0) return null;
  const prices = readings.map(({ price }) => price).sort((a, b) => a - b);
  const [lower = 0, upper = 0] = [prices[(prices.length - 1) >> 1], prices[prices.length >> 1]];
  const calibrated = readings.filter((reading) => reading.calibrated).length * 2 > readings.length;
  return { price: Math.round((lower + upper) / 2), calibrated };
}
