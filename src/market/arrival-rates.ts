/**
 * How many orders a second arrive above a price: arrivals in logarithmic bins a few per cent wide, each fading with the
 * same time constant. All bins fade together, so an arrival costs one addition and a reading one pass over the bins.
 * docs/decisions/0022.
 */
import type { PriceNano } from '#base/money.ts';

/** Each bin reaches 3 % higher than the one before; the first one holds the price 0 alone. */
const WIDTH = Math.log(1.03);
/** Enough for the highest price limit, 10^18. */
const BINS = 1404;
const TIME_CONSTANT_MS = 60_000;
/** Weights grow with time instead of all bins shrinking, until growth of this many time constants is divided out. */
const GROWTH_MAX = 20;

/** What is left of past arrivals, to go on from after a restart: the weights of the bins that have any. */
export interface ArrivalState {
  readonly atMs: number;
  readonly bins: readonly (readonly [bin: number, weight: number])[];
}

/** Fading arrivals by price. Time is an argument; a step back counts as none. */
export class ArrivalRates {
  /** Weights as of `#baseMs`. */
  readonly #weights = new Float64Array(BINS);
  /** The sum of the weights from each bin on, kept from one reading to the next while nothing arrives. */
  readonly #sums = new Float64Array(BINS + 1);
  #summed = true;
  #baseMs: number;
  #atMs: number;

  constructor(nowMs: number, recovered: ArrivalState | null = null) {
    this.#baseMs = recovered?.atMs ?? nowMs;
    this.#atMs = this.#baseMs;
    for (const [bin, weight] of recovered?.bins ?? []) {
      if (bin >= 0 && bin < BINS) this.#weights[bin] = weight;
      this.#summed = false;
    }
  }

  /** Counts one arrival at `price`. */
  add(price: PriceNano, weight: number, nowMs: number): void {
    this.#passTo(nowMs);
    const bin = binOf(price);
    this.#weights[bin] = (this.#weights[bin] ?? 0) + weight * Math.exp(this.#growth);
    this.#summed = false;
  }

  /** Takes back what was counted at `addedAtMs`, as faded as it is by now. */
  takeBack(price: PriceNano, weight: number, addedAtMs: number): void {
    const bin = binOf(price);
    const faded = weight * Math.exp((Math.min(addedAtMs, this.#atMs) - this.#baseMs) / TIME_CONSTANT_MS);
    this.#weights[bin] = Math.max(0, (this.#weights[bin] ?? 0) - faded);
    this.#summed = false;
  }

  /** Arrivals a second above `price`. A bin counts whole until the price has left it. */
  perSecondAbove(price: PriceNano, nowMs: number): number {
    this.#passTo(nowMs);
    if (!this.#summed) this.#sum();
    const bin = binOf(price);
    const first = price < topOf(bin) ? bin : bin + 1;
    return ((this.#sums[first] ?? 0) * Math.exp(-this.#growth) * 1000) / TIME_CONSTANT_MS;
  }

  /** What to go on from later. */
  state(): ArrivalState {
    const fade = Math.exp(-this.#growth);
    const bins: [number, number][] = [];
    for (const [bin, weight] of this.#weights.entries()) {
      if (weight * fade > 1e-3) bins.push([bin, weight * fade]);
    }
    return { atMs: this.#atMs, bins };
  }

  get #growth(): number {
    return (this.#atMs - this.#baseMs) / TIME_CONSTANT_MS;
  }

  #passTo(nowMs: number): void {
    // After a step back time goes on from there: waiting for the clock to catch up, nothing would fade.
    if (nowMs < this.#atMs) this.#baseMs -= this.#atMs - nowMs;
    this.#atMs = nowMs;
    if (this.#growth < GROWTH_MAX) return;
    const fade = Math.exp(-this.#growth);
    for (let bin = 0; bin < BINS; bin++) this.#weights[bin] = (this.#weights[bin] ?? 0) * fade;
    this.#baseMs = this.#atMs;
    this.#summed = false;
  }

  #sum(): void {
    for (let bin = BINS - 1; bin >= 0; bin--) {
      this.#sums[bin] = (this.#sums[bin + 1] ?? 0) + (this.#weights[bin] ?? 0);
    }
    this.#summed = true;
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
