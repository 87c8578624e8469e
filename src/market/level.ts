/**
 * The published level of one market. Its target is integrated over time, at every change of book or slots, and never
 * sampled: with one sample a second, showing bids for a few milliseconds around each tick could pin the level at the
 * ceiling for a few dollars. At each tick the level moves toward the mean target since the last tick. The
 * target is computed in `clearing.ts`.
 * docs/decisions/0006.
 */
import type { PriceNano } from '#base/money.ts';

/** The bounds and the speed of a listing's level. */
export interface LevelSettings {
  /** Bounds of the published level, floor at or below ceiling. */
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  /** How long the level takes to cover 63 % of the way to a constant target. */
  readonly timeConstantMs: number;
}

/** An order that would start within this time at the current pace is not marginal. */
const SOON_S = 1;
/** At any instant the target counts up to this many times the level, and in any case this part of the ceiling above it. */
const INSTANT_FACTOR = 8;
const INSTANT_PART = 0.01;
/** A late tick moves the level as if at most this much time had passed. */
const TICK_MS_MAX = 2000;

/**
 * How many slots, executing and claimed by waiting orders, are demanded above the marginal bid: all slots, and what can
 * start within a second. The target is the first bid beyond. (The slots alone gave a price far above the one at which
 * the flow clears.)
 */
export function marginalPlace(slots: number, claimsPerSecond: number): number {
  return slots + SOON_S * claimsPerSecond;
}

/** The level and the integral of its target. Time is an argument. */
export class Level {
  readonly #settings: LevelSettings;
  readonly #target: (nowMs: number) => PriceNano;
  /** Not rounded: at small levels a step of a whole nano-dollar per tick is too coarse to reach the target. */
  #exact: number;
  #frozen: boolean;
  #countedToMs: number;
  /** The integral of the target in nano-dollar milliseconds, and the time it covers. */
  #area = 0;
  #coveredMs = 0;

  /** Starts frozen at `start`, limited to the bounds. `target` returns the target of the current book and slots. */
  constructor(settings: LevelSettings, start: PriceNano, nowMs: number, target: (nowMs: number) => PriceNano) {
    this.#settings = settings;
    this.#exact = this.#within(start);
    this.#countedToMs = nowMs;
    this.#frozen = true;
    this.#target = target;
  }

  /** Whole nano-dollars, between floor and ceiling. */
  get published(): PriceNano {
    return Math.round(this.#exact);
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Integrates the target up to now. Call it before every change of what the target depends on. */
  count(nowMs: number): void {
    const elapsedMs = nowMs - this.#countedToMs;
    this.#countedToMs = nowMs;
    if (elapsedMs <= 0 || this.#frozen) return;
    this.#area += Math.min(this.#target(nowMs), this.#instantMax()) * elapsedMs;
    this.#coveredMs += elapsedMs;
  }

  /** While frozen the level stands still and no time counts. Time counted before moves it at the first tick after. */
  freeze(frozen: boolean, nowMs: number): void {
    this.count(nowMs);
    this.#frozen = frozen;
  }

  /** Moves the level toward the mean target since the last tick. Returns whether the published level changed. */
  tick(nowMs: number): boolean {
    this.count(nowMs);
    if (this.#frozen || this.#coveredMs === 0) return false;
    const before = this.published;
    const mean = this.#area / this.#coveredMs;
    const elapsedMs = Math.min(this.#coveredMs, TICK_MS_MAX);
    this.#exact = this.#within(
      this.#exact + (mean - this.#exact) * -Math.expm1(-elapsedMs / this.#settings.timeConstantMs),
    );
    this.#area = 0;
    this.#coveredMs = 0;
    return this.published !== before;
  }

  /** The highest target that counts at any instant: a few absurd bids cannot buy a jump. */
  #instantMax(): number {
    return Math.max(INSTANT_FACTOR * this.#exact, this.#exact + INSTANT_PART * this.#settings.ceiling);
  }

  #within(price: number): number {
    return Math.min(this.#settings.ceiling, Math.max(this.#settings.floor, price));
  }
}
