/**
 * The published level of one market. It rises while more slot time is asked for at it than there is, and falls otherwise;
 * how high the bids are does not matter. Only where nearly everything that starts from the queue bids far more, so that
 * paying orders show where the price is, does it go there quickly. docs/decisions/0035.
 */
import type { PriceNano } from '#base/money.ts';
import type { PriceBounds } from '../listing.ts';

/** The bounds and the speed of a listing's level. */
export interface LevelSettings {
  /** Of the published level, floor at or below ceiling; read when they count. */
  readonly bounds: PriceBounds;
  /** With 20 seconds, an excess of the whole capacity moves the level by 5 % in a second; twice as slow with 40. */
  readonly timeConstantMs: number;
}

/** What the time since the last tick says about the level. */
export interface LevelReading {
  /** Slot time asked for at the level, beyond what there was, as a part of it: −1 to 1. */
  readonly excess: number;
  /** The price that nearly all slot time that started from the queue bid at least; null where slots are free. */
  readonly paid: PriceNano | null;
  /** How much fewer orders start than in a large market: 1 or more. */
  readonly slowness: number;
}

/** Where the level stands, for a restart. */
export interface LevelState {
  /** The level, not rounded to whole nano-dollars. */
  readonly exact: number;
  /** The highest level of late, forgotten over a day. */
  readonly high: number;
}

/** An excess moves the logarithm of the level by itself times these, the second times its size, in a time constant. */
const GAIN = 0.25;
const GAIN_OF_SIZE = 0.8;
/** The level runs only after a price this many times as high, and stays this much below it. */
export const RUSH_ABOVE = 1.25;
/** It runs when the excess is above the first, and at full speed from the second on. */
const RUSH_FROM = 0.3;
const RUSH_FULL = 0.5;
const RUSH_PARTS = 3 / 20;
/**
 * It runs at most to the highest of: this many times itself, half of its recent high, and itself plus this part of the
 * ceiling.
 */
const STEP_FACTOR = 1.3;
const STEP_OF_HIGH = 0.5;
const STEP_OF_CEILING = 0.001;
/** Below this part of its recent high, or of what is paid up to a part of the ceiling, it runs at any clear excess. */
const COLD = 0.25;
const COLD_OF_CEILING = 0.01;
const COLD_FROM = 0.05;
const HIGH_MS = 86_400_000;
/** A late tick moves the level as if at most this much time had passed. */
const TICK_MS_MAX = 2000;

/** The level of one market. */
export class Level {
  readonly #settings: LevelSettings;
  /** Not rounded: at small levels a step of a whole nano-dollar per tick is too coarse. */
  #exact: number;
  /** The highest level of late. */
  high: number;
  /** While no pod is healthy the level stands still. Its owner does not call `tick` then. */
  frozen = true;

  /** Starts frozen at `start`, limited to the bounds; at the exact level of the state where that is the same. */
  constructor(settings: LevelSettings, start: PriceNano, state: LevelState | null = null) {
    this.#settings = settings;
    const isSame = state !== null && Math.round(state.exact) === start;
    this.#exact = this.#within(isSame ? state.exact : start);
    this.high = state?.high ?? 0;
  }

  /** Whole nano-dollars, between floor and ceiling. */
  get published(): PriceNano {
    return Math.round(this.#exact);
  }

  /** The bounds are others now. Returns whether the published level changed, which lies within them at once. */
  bound(): boolean {
    return this.#moveTo(this.#exact);
  }

  /** Moves the level by what was read since the last tick. Returns whether the published level changed. */
  tick(reading: LevelReading, elapsedMs: number): boolean {
    const { excess, slowness } = reading;
    const { timeConstantMs } = this.#settings;
    const ms = Math.min(elapsedMs, TICK_MS_MAX);
    const gain = (GAIN + GAIN_OF_SIZE * Math.abs(excess)) / Math.sqrt(slowness);
    const level = this.#exact * Math.exp((gain * excess * ms) / timeConstantMs);
    const toward = this.#rush(level, reading);
    const way = -Math.expm1((-ms * toward.speed) / (RUSH_PARTS * timeConstantMs));
    this.high = Math.max(level, this.high * Math.exp(-ms / HIGH_MS));
    return this.#moveTo(level + (toward.price - level) * way);
  }

  /** The state to store for a restart. */
  state(): LevelState {
    return { exact: this.#exact, high: this.high };
  }

  /** What the level runs toward, and how fast, 0 to 1. */
  #rush(level: number, { excess, paid, slowness }: LevelReading): { price: number; speed: number } {
    if (paid === null || paid < RUSH_ABOVE * level) return { price: level, speed: 0 };
    const { ceiling } = this.#settings.bounds;
    const isCold = level < COLD * Math.max(this.high, Math.min(paid, COLD_OF_CEILING * ceiling));
    const part = Math.max(0, Math.min(1, (excess - RUSH_FROM) / (RUSH_FULL - RUSH_FROM)));
    const speed = isCold ? Number(excess > COLD_FROM) : part / Math.sqrt(slowness);
    const most = Math.max(STEP_FACTOR * level, STEP_OF_HIGH * this.high, level + STEP_OF_CEILING * ceiling);
    return { price: Math.min(paid / RUSH_ABOVE, most), speed };
  }

  #moveTo(price: number): boolean {
    const before = this.published;
    this.#exact = this.#within(price);
    return this.published !== before;
  }

  #within(price: number): number {
    const { floor, ceiling } = this.#settings.bounds;
    return Math.min(ceiling, Math.max(floor, price));
  }
}
