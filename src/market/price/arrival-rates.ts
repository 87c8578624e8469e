/**
 * The rate at which orders arrive above a price. Arrivals are counted in logarithmic price bins, about 3 % wide, that
 * all decay exponentially with the same time constant. An arrival therefore costs one addition, and a reading one pass
 * over the bins. docs/decisions/0022.
 */
import type { PriceNano } from '#base/money.ts';
import { PriceBins } from './demand-curve.ts';

/** Each reaches 3 % higher than the one below. */
export const arrivalBins = new PriceBins(1.03);
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
  return [arrivalBins.lowestOf(bin), arrivalBins.topOf(bin) + 1];
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
  /** As of `#baseMs`; empty until the first arrival, so that an idle listing takes no memory. */
  #weights = new Float64Array(0);
  /** The sum of the weights from each bin upwards, if nothing has changed since the last reading. */
  #sums = this.#weights;
  #isSummed = true;
  /** The lowest and the highest bin that ever changed: beyond them nothing need be summed. */
  #first = Number.POSITIVE_INFINITY;
  #last = -1;
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
      if (bin >= 0 && bin < BINS) this.#set(bin, weight);
    }
  }

  /** Counts one arrival at `price`. */
  add(price: PriceNano, weight: number, nowMs: number): void {
    this.advanceTo(nowMs);
    const bin = binOf(price);
    this.#set(bin, this.#at(bin) + weight * this.#scale);
  }

  /** Counts each of these orders for so long, in seconds. */
  addFor(ms: number, { bins: counts }: BinCounts, nowMs: number): void {
    this.advanceTo(nowMs);
    // An iterator would make an array for each of the bins, every second.
    counts.forEach((count, bin) => {
      this.#set(bin, this.#at(bin) + ((count * ms) / 1000) * this.#scale);
    });
  }

  /** Changes the weight of an arrival counted at `addedAtMs` by this, at what it has decayed to. */
  adjust(price: PriceNano, weight: number, addedAtMs: number): void {
    if (weight === 0) return;
    const bin = binOf(price);
    const decayed = weight * Math.exp((Math.min(addedAtMs, this.#atMs) - this.#baseMs) / this.#timeConstantMs);
    this.#set(bin, Math.max(0, this.#at(bin) + decayed));
  }

  /** Arrivals per second above `price`. The bin that contains the price counts in full. */
  perSecondAbove(price: PriceNano, nowMs: number): number {
    this.advanceTo(nowMs);
    const bin = binOf(price);
    const first = price < arrivalBins.topOf(bin) ? bin : bin + 1;
    return (this.#from(first) * Math.exp(-this.#growth) * 1000) / this.#timeConstantMs;
  }

  /** The price that this part of the weights, the highest ones, is at or above; null without any. */
  priceOfBest(part: number, nowMs: number): PriceNano | null {
    this.advanceTo(nowMs);
    const all = this.#from(0);
    if (all * Math.exp(-this.#growth) < WEIGHT_MIN) return null;
    let bin = this.#last;
    while (bin > 0 && this.#from(bin) < part * all) bin--;
    return arrivalBins.lowestOf(bin);
  }

  /** The state to store for a restart. */
  stored(): ArrivalState {
    const { atMs, bins } = this.state();
    if (bins.length <= STORED_MAX) return { atMs, bins };
    return { atMs, bins: bins.toSorted(([, one], [, other]) => other - one).slice(0, STORED_MAX) };
  }

  /** All bins that are not empty, the lowest first. */
  state() {
    const [weights, decay] = [this.#weights, Math.exp(-this.#growth)];
    const bins: [number, number][] = [];
    for (let bin = this.#first; bin <= this.#last; bin++) {
      const weight = (weights[bin] ?? 0) * decay;
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
    for (let bin = this.#first; bin <= this.#last; bin++) this.#set(bin, this.#at(bin) * decay);
    this.#baseMs = this.#atMs;
  }

  #at(bin: number): number {
    return this.#weights[bin] ?? 0;
  }

  #set(bin: number, weight: number): void {
    if (this.#last < 0) {
      this.#weights = new Float64Array(BINS + 1);
      this.#sums = new Float64Array(BINS + 1);
    }
    this.#weights[bin] = weight;
    this.#first = Math.min(this.#first, bin);
    this.#last = Math.max(this.#last, bin);
    this.#isSummed = false;
  }

  /** The sum of the weights in this bin and above. */
  #from(bin: number): number {
    const [sums, weights] = [this.#sums, this.#weights];
    for (let each = this.#isSummed ? -1 : this.#last; each >= this.#first; each--) {
      sums[each] = (sums[each + 1] ?? 0) + (weights[each] ?? 0);
    }
    this.#isSummed = true;
    return sums[Math.max(this.#first, bin)] ?? 0;
  }
}

function binOf(price: PriceNano): number {
  return Math.min(BINS - 1, arrivalBins.of(price));
}
