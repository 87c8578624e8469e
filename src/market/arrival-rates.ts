/**
 * The rate at which orders arrive above a price. Arrivals are counted in logarithmic price bins, about 3 % wide, that
 * all decay exponentially with the same time constant. An arrival therefore costs one addition, and a reading one pass
 * over the bins. docs/decisions/0022.
 */
import type { PriceNano } from '#base/money.ts';

/** Each bin reaches 3 % higher than the one before. The first bin holds only the price 0. */
const WIDTH = Math.log(1.03);
/** Enough bins for the highest price limit, 10^18. */
const BINS = 1404;
/** Instead of scaling all bins down, new weights are scaled up, for at most this many time constants. */
const GROWTH_MAX = 20;

/** The decayed arrivals that a restart continues from: the weights of the bins that are not empty. */
export interface ArrivalState {
  readonly atMs: number;
  readonly bins: readonly (readonly [bin: number, weight: number])[];
}

/** Exponentially decaying arrival counts by price. Time is an argument; when it steps back, nothing decays. */
export class ArrivalRates {
  /** Weights as of `#baseMs`. */
  readonly #weights = new Float64Array(BINS);
  /** The sum of the weights from each bin upwards, cached until the next arrival. */
  readonly #sums = new Float64Array(BINS + 1);
  #sumsValid = true;
  readonly #timeConstantMs: number;
  #baseMs: number;
  #atMs: number;

  constructor(timeConstantMs: number, nowMs: number, recovered: ArrivalState | null = null) {
    this.#timeConstantMs = timeConstantMs;
    this.#baseMs = recovered?.atMs ?? nowMs;
    this.#atMs = this.#baseMs;
    for (const [bin, weight] of recovered?.bins ?? []) {
      if (bin >= 0 && bin < BINS) this.#weights[bin] = weight;
      this.#sumsValid = false;
    }
  }

  /** Counts one arrival at `price`. */
  add(price: PriceNano, weight: number, nowMs: number): void {
    this.#advanceTo(nowMs);
    const bin = binOf(price);
    this.#weights[bin] = (this.#weights[bin] ?? 0) + weight * Math.exp(this.#growth);
    this.#sumsValid = false;
  }

  /** Changes the weight of an arrival counted at `addedAtMs` by this, at what it has decayed to. */
  adjust(price: PriceNano, weight: number, addedAtMs: number): void {
    const bin = binOf(price);
    const decayed = weight * Math.exp((Math.min(addedAtMs, this.#atMs) - this.#baseMs) / this.#timeConstantMs);
    this.#weights[bin] = Math.max(0, (this.#weights[bin] ?? 0) + decayed);
    this.#sumsValid = false;
  }

  /** Arrivals per second above `price`. The bin that contains the price counts in full. */
  perSecondAbove(price: PriceNano, nowMs: number): number {
    this.#advanceTo(nowMs);
    if (!this.#sumsValid) this.#sum();
    const bin = binOf(price);
    const first = price < topOf(bin) ? bin : bin + 1;
    return ((this.#sums[first] ?? 0) * Math.exp(-this.#growth) * 1000) / this.#timeConstantMs;
  }

  /** The state to store for a restart. */
  state(): ArrivalState {
    const decay = Math.exp(-this.#growth);
    const bins: [number, number][] = [];
    for (const [bin, weight] of this.#weights.entries()) {
      if (weight * decay > 1e-3) bins.push([bin, weight * decay]);
    }
    return { atMs: this.#atMs, bins };
  }

  get #growth(): number {
    return (this.#atMs - this.#baseMs) / this.#timeConstantMs;
  }

  #advanceTo(nowMs: number): void {
    // After the clock steps back, decay continues from the new time. Otherwise it would stop until the clock caught up.
    if (nowMs < this.#atMs) this.#baseMs -= this.#atMs - nowMs;
    this.#atMs = nowMs;
    if (this.#growth < GROWTH_MAX) return;
    const decay = Math.exp(-this.#growth);
    for (let bin = 0; bin < BINS; bin++) this.#weights[bin] = (this.#weights[bin] ?? 0) * decay;
    this.#baseMs = this.#atMs;
    this.#sumsValid = false;
  }

  #sum(): void {
    for (let bin = BINS - 1; bin >= 0; bin--) {
      this.#sums[bin] = (this.#sums[bin + 1] ?? 0) + (this.#weights[bin] ?? 0);
    }
    this.#sumsValid = true;
  }
}

/** 0 for the price 0; bin k holds the prices from e^((k − 1) × WIDTH) to below e^(k × WIDTH). */
function binOf(price: PriceNano): number {
  return price < 1 ? 0 : Math.min(BINS - 1, 1 + Math.floor(Math.log(price) / WIDTH));
}

/** The highest whole price in a bin. */
function topOf(bin: number): PriceNano {
  return Math.ceil(Math.exp(bin * WIDTH)) - 1;
}
