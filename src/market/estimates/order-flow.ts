/**
 * How orders come, run and give up in one market, for estimates of when an order starts (`odds.ts`). Every order counts
 * at its bid and as one, unlike in the quote, which weighs what it promises by. An order is counted in a bin; the rest
 * is done once a second.
 */
import type { PriceNano } from '#base/money.ts';
import { ArrivalRates, arrivalBins, BinCounts } from '../price/arrival-rates.ts';

/** Arrivals of about the last minute, and of about the last twenty. */
const NOW_S = 60;
const USUAL_S = 1200;
/** Orders that gave up are forgotten over this time. */
const GAVE_UP_S = 300;
/** Arrivals are compared in stretches of this many seconds, about this many of them. */
const STRETCH_S = 5;
const STRETCHES = 120;
/** Run times are forgotten over this much time in which orders ran. */
const RUNS_S = 600;

/** Arrivals per second at about a price. */
export interface PricedRate {
  readonly price: PriceNano;
  readonly perSecond: number;
}

/**
 * The flow of one market. Call `tick` once a second; time is an argument. Between ticks all readings are equal and
 * change nothing: the market's decisions must not depend on other readers.
 */
export class OrderFlow {
  readonly #now: ArrivalRates;
  readonly #usual: ArrivalRates;
  readonly #givenUp: ArrivalRates;
  /** The bids of this second, and those that were given up. */
  readonly #bids = new BinCounts();
  readonly #left = new BinCounts();
  #ageS = 0;
  #tickMs: number;
  #ended = 0;
  #ranS = 0;
  #inStretch = 0;
  #stretches = 0;
  #mean = 0;
  #square = 0;

  constructor(nowMs: number) {
    this.#tickMs = nowMs;
    this.#now = new ArrivalRates(NOW_S * 1000, nowMs);
    this.#usual = new ArrivalRates(USUAL_S * 1000, nowMs);
    this.#givenUp = new ArrivalRates(GAVE_UP_S * 1000, nowMs);
  }

  /** A new order bids this much. */
  arrives(bid: PriceNano): void {
    this.#bids.add(bid, 1);
    this.#inStretch++;
  }

  /** A waiting order with this bid ran out of time, or was withdrawn. */
  leaves(bid: PriceNano): void {
    this.#left.add(bid, 1);
  }

  /** An order that had run gave its slot back. */
  ends(): void {
    this.#ended++;
  }

  /** Counts a second in which this many orders ran. */
  tick(running: number, nowMs: number): void {
    this.#ageS++;
    this.#tickMs = nowMs;
    // Each counts as one.
    for (const rates of [this.#now, this.#usual]) rates.addFor(1000, this.#bids, nowMs);
    this.#givenUp.addFor(1000, this.#left, nowMs);
    for (const counted of [this.#bids, this.#left]) counted.bins.clear();
    if (this.#ageS % STRETCH_S === 0) {
      this.#stretches = Math.min(STRETCHES, this.#stretches + 1);
      this.#mean += (this.#inStretch - this.#mean) / this.#stretches;
      this.#square += (this.#inStretch ** 2 - this.#square) / this.#stretches;
      this.#inStretch = 0;
    }
    if (running === 0) return;
    this.#ended *= keptOver(RUNS_S);
    this.#ranS = this.#ranS * keptOver(RUNS_S) + running;
  }

  /** The time that orders ran lately, in seconds, and how many of them ended. */
  get runs(): { readonly ranS: number; readonly ended: number } {
    return { ranS: this.#ranS, ended: this.#ended };
  }

  /** How many times as much arrivals vary as those that come one by one; from 1. */
  get burstiness(): number {
    return this.#mean === 0 ? 1 : Math.max(1, (this.#square - this.#mean ** 2) / this.#mean);
  }

  /** Orders a second by what they bid, at the middle of each step, in about the last minute, as of the last tick. */
  get arrivals(): readonly PricedRate[] {
    return this.#now.state().bins.map(([bin, weight]) => {
      const price = Math.max(0, Math.round((arrivalBins.topOf(bin - 1) + arrivalBins.topOf(bin)) / 2));
      return { price, perSecond: weight / NOW_S / seen(this.#ageS, NOW_S) };
    });
  }

  /** Prices between which arrivals do not differ: the bounds of all steps in which orders came. */
  get bounds(): readonly PriceNano[] {
    const { bins } = this.#usual.state();
    return bins.flatMap(([bin]) => [arrivalBins.lowestOf(bin), arrivalBins.topOf(bin) + 1]);
  }

  /**
   * Per second, above a price: recent and usual arrivals, and how many of the orders waiting there give up. As of the
   * last tick. A step of prices counts in full.
   */
  above(price: PriceNano) {
    const nowMs = this.#tickMs;
    return {
      now: this.#now.perSecondAbove(price, nowMs) / seen(this.#ageS, NOW_S),
      usual: this.#usual.perSecondAbove(price, nowMs) / seen(this.#ageS, USUAL_S),
      givenUp: this.#givenUp.perSecondAbove(price, nowMs) / seen(this.#ageS, GAVE_UP_S),
    };
  }
}

/** The part of a rate's time constant that a young market has seen. */
function seen(ageS: number, timeConstantS: number): number {
  return -Math.expm1(-Math.max(1, ageS) / timeConstantS);
}

/** The part of a sum that is left after a second. */
function keptOver(timeConstantS: number): number {
  return Math.exp(-1 / timeConstantS);
}
