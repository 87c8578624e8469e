/**
 * The simulated price of a preview market: a mean-reverting walk in log price (an exactly stepped Ornstein-Uhlenbeck
 * process). It is drawn from a seed, so it looks like a market and can be replayed. Spec 1.10.
 */
import type { PriceNano } from '#base/money.ts';
import { normal, type Random } from '#base/random.ts';
import type { PriceBounds } from '../listing.ts';

/** The time constant of the reversion to the mean, and the long-run standard deviation in log price. */
const REVERSION_MS = 3_600_000;
const SPREAD = 0.35;
/** A floor of 0 has no logarithm, so the walk then ends at this part of the ceiling. */
const LOWEST_OF_CEILING = 1 / 1000;

/** A simulated level between floor and ceiling, in whole nano-dollars. */
export class PreviewWalk {
  readonly #bounds: PriceBounds;
  readonly #random: Random;
  readonly #center: number;
  #log: number;
  #atMs: number;

  /** Starts at `start`; when null, at the center of the walk (the geometric mean of the bounds). */
  constructor(bounds: PriceBounds, start: PriceNano | null, random: Random, nowMs: number) {
    this.#bounds = bounds;
    this.#random = random;
    const lowest = Math.max(1, bounds.floor, bounds.ceiling * LOWEST_OF_CEILING);
    this.#center = Math.log(Math.sqrt(lowest * Math.max(1, bounds.ceiling)));
    this.#log = start === null ? this.#center : Math.log(Math.max(lowest, start));
    this.#atMs = nowMs;
  }

  get level(): PriceNano {
    return Math.min(this.#bounds.ceiling, Math.max(this.#bounds.floor, Math.round(Math.exp(this.#log))));
  }

  /** Moves the walk to now. Returns whether the level changed. */
  tick(nowMs: number): boolean {
    const before = this.level;
    const kept = Math.exp(-Math.max(0, nowMs - this.#atMs) / REVERSION_MS);
    this.#atMs = nowMs;
    const noise = SPREAD * Math.sqrt(1 - kept * kept) * normal(this.#random);
    this.#log = this.#center + (this.#log - this.#center) * kept + noise;
    return this.level !== before;
  }
}
