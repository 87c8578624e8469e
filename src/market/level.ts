/**
 * The published level of one market. Its target is integrated over time at every change of book or slots and never
 * sampled: sampled once a second, the level could be pinned at the ceiling for a few dollars by showing bids for some
 * milliseconds around each tick. Once a tick the level moves toward the mean target of the time since the last one.
 * docs/decisions/0006.
 */
import type { PriceNano } from '#base/money.ts';

/** What the level of a listing keeps to. */
export interface LevelSettings {
  /** Bounds of the published level, floor at or below ceiling. */
  readonly floor: PriceNano;
  readonly ceiling: PriceNano;
  /** How long the level takes to go 63 % of its way to a target that stands still. */
  readonly timeConstantMs: number;
}

/** An order that starts within this time at the present pace is not marginal. */
const SOON_S = 2;
/** A tick that comes late moves the level no further than this much time would. */
const TICK_MS_MAX = 2000;

/**
 * Which bid is the target, counted from the highest among executing and resting orders: with this many orders the last
 * one is the first that must wait more than two seconds. (The plain slots + 1 stood far above the flow-clearing price.)
 */
export function marginalPlace(slots: number, startsPerSecond: number): number {
  return slots + Math.floor(SOON_S * startsPerSecond) + 1;
}

/** The level and the integral of its target. Time comes in as an argument. */
export class Level {
  readonly #settings: LevelSettings;
  readonly #target: (nowMs: number) => PriceNano;
  /** Not rounded: at small levels a whole nano-dollar a tick would be too coarse a step to ever arrive. */
  #exact: number;
  #frozen: boolean;
  #countedToMs: number;
  /** The integral of the target in nano-dollar milliseconds, and the time that it covers. */
  #area = 0;
  #coveredMs = 0;

  /** Starts frozen at `start`, brought within the bounds. `target` gives the target as book and slots stand. */
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

  /** Counts the target that stood until now. Call it before every change of what the target depends on. */
  count(nowMs: number): void {
    const elapsedMs = nowMs - this.#countedToMs;
    this.#countedToMs = nowMs;
    if (elapsedMs <= 0 || this.#frozen) return;
    this.#area += Math.min(this.#target(nowMs), this.#instantMax()) * elapsedMs;
    this.#coveredMs += elapsedMs;
  }

  /** While frozen the level stands still and no time is counted; what was counted before moves it once it thaws. */
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

  /** The most that one instant may count for: a burst of absurd bids cannot buy a jump. */
  #instantMax(): number {
    return Math.max(2 * this.#exact, this.#exact + this.#settings.ceiling / 2000);
  }

  #within(price: number): number {
    return Math.min(this.#settings.ceiling, Math.max(this.#settings.floor, price));
  }
}
