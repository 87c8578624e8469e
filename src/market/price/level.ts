/**
 * The published level of one market. Its target is integrated over time, at every change of book or slots, and never
 * sampled: with one sample a second, showing bids for a few milliseconds around each tick could pin the level at the
 * ceiling for a few dollars. At each tick the level moves toward the mean target since the last tick. The
 * target is computed in `clearing.ts`.
 * docs/decisions/0006.
 */
import type { PriceNano } from '#base/money.ts';
import type { PriceBounds } from '../listing.ts';

/** The bounds and the speed of a listing's level. */
export interface LevelSettings {
  /** Of the published level, floor at or below ceiling; read when they count. */
  readonly bounds: PriceBounds;
  /** How long the level takes to cover 63 % of the way to a constant target, while it does not hurry. */
  readonly timeConstantMs: number;
}

/** At any instant the target counts up to this many times the level, and in any case this part of the ceiling above it. */
const INSTANT_FACTOR = 8;
const INSTANT_PART = 0.01;
/** A late tick moves the level as if at most this much time had passed. */
const TICK_MS_MAX = 2000;

/** What a level moves toward. */
export interface Target {
  readonly price: PriceNano;
  /** What is demanded at the level or better beyond the supply, in slots, divided by the root of the slots. */
  readonly strain: number;
}

/** Chance seldom explains more strain than this: the demand has changed, and the level hurries. */
const STRAIN_MAX = 2.75;
/** A level that hurries moves this many times as fast, and slows down again with this time constant. */
const HURRY = 15;
const HURRY_MS = 10_000;

/** The level and the integral of its target. Time is an argument. */
export class Level {
  readonly #settings: LevelSettings;
  readonly #target: (nowMs: number) => Target;
  /** Not rounded: at small levels a step of a whole nano-dollar per tick is too coarse to reach the target. */
  #exact: number;
  #frozen: boolean;
  #countedToMs: number;
  /** The integral of the target in nano-dollar milliseconds, and the time it covers. */
  #area = 0;
  #strainArea = 0;
  #coveredMs = 0;
  /** By how many times the level is faster than its time constant says, from 0. */
  #hurry = 0;

  /** Starts frozen at `start`, limited to the bounds. `target` returns the target of the current book and slots. */
  constructor(settings: LevelSettings, start: PriceNano, nowMs: number, target: (nowMs: number) => Target) {
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
    const { price, strain } = this.#target(nowMs);
    this.#area += Math.min(price, this.#instantMax()) * elapsedMs;
    this.#strainArea += strain * elapsedMs;
    this.#coveredMs += elapsedMs;
  }

  /** While frozen the level stands still and no time counts. Time counted before moves it at the first tick after. */
  freeze(frozen: boolean, nowMs: number): void {
    this.count(nowMs);
    this.#frozen = frozen;
  }

  /** The bounds are others now. Returns whether the published level changed, which lies within them at once. */
  bound(): boolean {
    const before = this.published;
    this.#exact = this.#within(this.#exact);
    return this.published !== before;
  }

  /** Moves the level toward the mean target since the last tick. Returns whether the published level changed. */
  tick(nowMs: number): boolean {
    this.count(nowMs);
    if (this.#frozen || this.#coveredMs === 0) return false;
    const before = this.published;
    const mean = this.#area / this.#coveredMs;
    const elapsedMs = Math.min(this.#coveredMs, TICK_MS_MAX);
    const isStrained = Math.abs(this.#strainArea / this.#coveredMs) > STRAIN_MAX;
    this.#hurry = isStrained ? HURRY - 1 : this.#hurry * Math.exp(-elapsedMs / HURRY_MS);
    const timeConstants = (elapsedMs * (1 + this.#hurry)) / this.#settings.timeConstantMs;
    this.#exact = this.#within(this.#exact + (mean - this.#exact) * -Math.expm1(-timeConstants));
    this.#area = 0;
    this.#strainArea = 0;
    this.#coveredMs = 0;
    return this.published !== before;
  }

  /** The highest target that counts at any instant: a few absurd bids cannot buy a jump. */
  #instantMax(): number {
    return Math.max(INSTANT_FACTOR * this.#exact, this.#exact + INSTANT_PART * this.#settings.bounds.ceiling);
  }

  #within(price: number): number {
    const { floor, ceiling } = this.#settings.bounds;
    return Math.min(ceiling, Math.max(floor, price));
  }
}
