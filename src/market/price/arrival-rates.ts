/**
 * The rate at which orders arrive above a price. Arrivals are counted in logarithmic price bins, about 3 % wide, that
 * all decay exponentially with the same time constant. An arrival therefore costs one addition, and a reading one pass
 * over the bins. docs/decisions/0022.
 */
import type { PriceNano } from '#base/money.ts';
import { BinWeights, PriceBins } from './demand-curve.ts';

/** Each reaches 3 % higher than the one below. */
const bins = new PriceBins(1.03);
/** Enough bins for the highest price limit, 10^18. */
const BINS = 1404;
/** Instead of scaling all bins down, new weights are scaled up, for at most this many time constants. */
const GROWTH_MAX = 20;
/** Less than this is nothing. */
const WEIGHT_MIN = 1e-3;
/** A stored weight is a whole number of this part. */
const STORED = 1000;
/** Of more bins only the heaviest are stored, so that a state stays small at however many prices somebody bids. */
const STORED_MAX = 600;

/** The decayed arrivals that a restart continues from: the weights of the bins that are not empty. */
export type ArrivalState = ReturnType<ArrivalRates['state']>;

/** The lowest price of the step that this price is in, and that of the next step: figures by steps show no single bid. */
export function stepAround(price: PriceNano): readonly [low: PriceNano, next: PriceNano] {
  const bin = binOf(price);
  return [bins.lowestOf(bin), bins.topOf(bin) + 1];
}

/** Arrivals per second at about a price. */
export interface PricedRate {
  readonly price: PriceNano;
  readonly perSecond: number;
}

/** The arrivals per second of a state, by price: the middle of each bin. */
export function ratesOf({ bins: weights }: ArrivalState, timeConstantMs: number): readonly PricedRate[] {
  return weights.map(([bin, weight]) => {
    const price = Math.round((bins.topOf(bin - 1) + bins.topOf(bin)) / 2);
    return { price: Math.max(0, price), perSecond: (weight * 1000) / timeConstantMs };
  });
}

/** How many orders there are at each price, by bin; bins without one are left out. */
export class BinCounts {
  readonly bins = new Map<number, number>();

  /** So many orders more at `price`, or fewer if negative. */
  add(price: PriceNano, more: number): void {
    const bin = binOf(price);
    const count = (this.bins.get(bin) ?? 0) + more;
    if (count === 0) this.bins.delete(bin);
    else this.bins.set(bin, count);
  }
}

/** Exponentially decaying arrival counts by price. Time is an argument; when it steps back, nothing decays. */
export class ArrivalRates {
  /** As of `#baseMs`. */
  readonly #weights = new BinWeights(() => new Float64Array(BINS + 1));
  readonly #timeConstantMs: number;
  #baseMs: number;
  #atMs: number;
  /** The factor from a present weight to one as of `#baseMs`. */
  #scale = 1;

  constructor(timeConstantMs: number, nowMs: number, recovered: ArrivalState | null = null) {
    this.#timeConstantMs = timeConstantMs;
    this.#baseMs = recovered?.atMs ?? nowMs;
    this.#atMs = this.#baseMs;
    for (const [bin, weight] of recovered?.bins ?? []) {
      if (bin >= 0 && bin < BINS) this.#weights.set(bin, weight);
    }
  }

  /** Counts one arrival at `price`. */
  add(price: PriceNano, weight: number, nowMs: number): void {
    this.advanceTo(nowMs);
    const bin = binOf(price);
    this.#weights.set(bin, this.#weights.at(bin) + weight * this.#scale);
  }

  /** Counts each of these orders for so long, in seconds. */
  addFor(ms: number, { bins: counts }: BinCounts, nowMs: number): void {
    this.advanceTo(nowMs);
    for (const [bin, count] of counts) {
      this.#weights.set(bin, this.#weights.at(bin) + ((count * ms) / 1000) * this.#scale);
    }
  }

  /** Changes the weight of an arrival counted at `addedAtMs` by this, at what it has decayed to. */
  adjust(price: PriceNano, weight: number, addedAtMs: number): void {
    if (weight === 0) return;
    const bin = binOf(price);
    const decayed = weight * Math.exp((Math.min(addedAtMs, this.#atMs) - this.#baseMs) / this.#timeConstantMs);
    this.#weights.set(bin, Math.max(0, this.#weights.at(bin) + decayed));
  }

  /** Arrivals per second above `price`. The bin that contains the price counts in full. */
  perSecondAbove(price: PriceNano, nowMs: number): number {
    this.advanceTo(nowMs);
    const bin = binOf(price);
    const first = price < bins.topOf(bin) ? bin : bin + 1;
    return (this.#weights.from(first) * Math.exp(-this.#growth) * 1000) / this.#timeConstantMs;
  }

  /** The price that this part of the weights, the highest ones, is at or above; null without any. */
  priceOfBest(part: number, nowMs: number): PriceNano | null {
    this.advanceTo(nowMs);
    const all = this.#weights.from(0);
    if (all * Math.exp(-this.#growth) < WEIGHT_MIN) return null;
    let bin = this.#weights.last;
    while (bin > 0 && this.#weights.from(bin) < part * all) bin--;
    return bins.lowestOf(bin);
  }

  /** The lowest prices of the bins that are not empty, and of those above them. */
  get bounds(): PriceNano[] {
    const bounds = new Set<PriceNano>();
    for (const [bin] of this.state().bins) {
      bounds.add(bins.lowestOf(bin));
      bounds.add(bins.topOf(bin) + 1);
    }
    return [...bounds];
  }

  /** The state to store for a restart. */
  stored(): ArrivalState {
    const { atMs, bins } = this.state();
    if (bins.length <= STORED_MAX) return { atMs, bins };
    return { atMs, bins: bins.toSorted(([, one], [, other]) => other - one).slice(0, STORED_MAX) };
  }

  /** All bins that are not empty, the lowest first. */
  state() {
    const decay = Math.exp(-this.#growth);
    const bins: [number, number][] = [];
    for (let bin = this.#weights.first; bin <= this.#weights.last; bin++) {
      const weight = this.#weights.at(bin) * decay;
      if (weight > WEIGHT_MIN) bins.push([bin, Math.round(weight * STORED) / STORED]);
    }
    return { atMs: this.#atMs, bins };
  }

  /** Decays everything to this time; readings and arrivals do it, too. */
  advanceTo(nowMs: number): void {
    if (nowMs === this.#atMs) return;
    // After the clock steps back, decay continues from the new time. Otherwise it would stop until the clock caught up.
    if (nowMs < this.#atMs) this.#baseMs -= this.#atMs - nowMs;
    this.#atMs = nowMs;
    if (this.#growth >= GROWTH_MAX) this.#rebase();
    this.#scale = Math.exp(this.#growth);
  }

  get #growth(): number {
    return (this.#atMs - this.#baseMs) / this.#timeConstantMs;
  }

  #rebase(): void {
    const decay = Math.exp(-this.#growth);
    const { first, last } = this.#weights;
    for (let bin = first; bin <= last; bin++) this.#weights.set(bin, this.#weights.at(bin) * decay);
    this.#baseMs = this.#atMs;
  }
}

function binOf(price: PriceNano): number {
  return Math.min(BINS - 1, bins.of(price));
}
