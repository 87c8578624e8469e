/**
 * The published level of one market. It rises while more slot time is asked for at it than there is, and falls otherwise;
 * how high the bids are does not matter. Only where nearly everything that starts from the queue bids far more, so that
 * paying orders show where the price is, does it go there quickly. docs/decisions/0035.
 *
 * Against what waited at the level or above and was not served stands what started below it, or stayed free: it would not
 * have had to. Whether more or fewer orders start than usual does not matter, because slots come free by chance.
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
  /** The highest level of late, forgotten over a day. */
  high: number;
  /** While no pod is healthy the level stands still. Its owner does not call `tick` then. */
  frozen = true;

  /** Starts frozen at `start`, limited to the bounds; at the exact level of the state where that is the same. */
  constructor(settings: LevelSettings, start: PriceNano, state: ReturnType<Level['state']> | null = null) {
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
  state() {
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

/** With so many starts a second or more, chance is small enough to look at single seconds. */
const STARTS_OF_LARGE = 3.2;
/** So much may start below the level at rest, times the root of the slowness beyond 1. */
const SPARE = 0.05;
const SPARE_MAX = 0.15;
/** What was not served counts in this part, and up to these parts of the slots. */
const UNSERVED = 0.8;
const UNSERVED_MIN = -0.5;
const UNSERVED_MAX = 0.7;
/** The sums are smoothed over so many starts, and for this long at least. */
const SMOOTHED_STARTS = 12;
const SMOOTHED_MS_MIN = 1000;

/** The sums of one market. Times are slot milliseconds: slots times how long they are held. */
export class AskedTime {
  /** Since the last call of `take`. */
  #above = 0;
  #below = 0;
  #idle = 0;
  #unserved = 0;
  #servedExcess: number;
  #unservedPart: number;

  constructor(recovered: ReturnType<AskedTime['state']> | null = null) {
    this.#servedExcess = recovered?.served ?? 0;
    this.#unservedPart = recovered?.unserved ?? 0;
  }

  /** An order started that is expected to hold its slot for `ms`; or a start is corrected by that, also down. */
  starts(ms: number, atLevel: boolean): void {
    if (atLevel) this.#above += ms;
    else this.#below += ms;
  }

  /** An order at the level or above waits, or left, unserved; if negative, one that counted so is served after all. */
  unserved(ms: number): void {
    this.#unserved += ms;
  }

  /** So many slots were free for so long. */
  idles(slots: number, ms: number): void {
    this.#idle += slots * ms;
  }

  /** The excess, −1 to 1, with what happened since the last call, which is `elapsedMs`, above 0, with so many slots. */
  take({ slots, perSecond, elapsedMs }: { slots: number; perSecond: number; elapsedMs: number }): number {
    const spare = Math.min(SPARE_MAX, SPARE * Math.sqrt(slownessOf(perSecond) - 1));
    const whole = slots * elapsedMs;
    const smoothedMs = Math.max(SMOOTHED_MS_MIN, (SMOOTHED_STARTS * 1000) / perSecond);
    const weight = -Math.expm1(-elapsedMs / smoothedMs);
    const served = (spare * this.#above - (1 - spare) * (this.#below + this.#idle)) / whole;
    this.#servedExcess += weight * (served - this.#servedExcess);
    this.#unservedPart += weight * ((UNSERVED * this.#unserved) / whole - this.#unservedPart);
    [this.#above, this.#below, this.#idle, this.#unserved] = [0, 0, 0, 0];
    const unserved = Math.max(UNSERVED_MIN, Math.min(UNSERVED_MAX, this.#unservedPart));
    return Math.max(-1, Math.min(1, this.#servedExcess + unserved));
  }

  /** The state to store for a restart: the smoothed sums, as parts of the slots. */
  state() {
    return { served: this.#servedExcess, unserved: this.#unservedPart };
  }
}

/** How much fewer orders start in this market than in a large one: 1 or more. */
export function slownessOf(startsPerSecond: number): number {
  return Math.max(1, STARTS_OF_LARGE / startsPerSecond);
}
