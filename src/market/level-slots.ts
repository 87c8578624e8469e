/**
 * Levels over time in slots of one width: the last so-and-so many of them, side by side in typed arrays that have their
 * full size from the beginning, so that a market takes the same memory on its first day as after a month. A slot knows
 * the open, high, low and close of the time it covers and the integral of the level over it; what nobody saw is not
 * covered and has no part in any mean.
 */
import type { PriceNano } from '#base/money.ts';

/** What is known of one stretch of time. `area` is level times milliseconds; `coveredMs` is never 0. */
export interface LevelSpan {
  readonly open: PriceNano;
  readonly high: PriceNano;
  readonly low: PriceNano;
  readonly close: PriceNano;
  readonly area: number;
  readonly coveredMs: number;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const NOTHING: LevelSpan = { open: 0, high: 0, low: 0, close: 0, area: 0, coveredMs: 0 };

/** The newest slots; older ones make room by themselves. Time is added from the oldest to the newest. */
export class LevelSlots {
  readonly widthMs: number;
  readonly #capacity: number;
  /** The newest slot and the ones before it are here; counted from the epoch, each at its remainder. */
  #newest = 0;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #area: Float64Array;
  /** 0 where nothing is known. */
  readonly #coveredMs: Uint32Array;

  constructor(widthMs: number, capacity: number) {
    this.widthMs = widthMs;
    this.#capacity = capacity;
    // Filled, because memory that was never written is not there yet: it would seem to grow for a month.
    const figures = () => new Float64Array(capacity).fill(0);
    this.#open = figures();
    this.#high = figures();
    this.#low = figures();
    this.#close = figures();
    this.#area = figures();
    this.#coveredMs = new Uint32Array(capacity).fill(0);
  }

  /** The level stood from `fromMs` to before `toMs`. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    const last = Math.ceil(toMs / this.widthMs) - 1;
    const first = Math.max(Math.floor(fromMs / this.widthMs), last - this.#capacity + 1);
    for (let slot = first; slot <= last; slot++) {
      const from = Math.max(fromMs, slot * this.widthMs);
      const coveredMs = Math.min(toMs, (slot + 1) * this.widthMs) - from;
      if (coveredMs <= 0) continue;
      this.#append(slot, { open: level, high: level, low: level, close: level, area: level * coveredMs, coveredMs });
    }
  }

  /** Puts in what came before everything here, such as what was stored: in a slot that both know it comes first. */
  prepend(atMs: number, span: LevelSpan): void {
    const slot = Math.floor(atMs / this.widthMs);
    this.#reach(slot);
    if (!this.#holds(slot)) return;
    const known = this.#known(slot);
    this.#write(slot, known ? joined(span, known) : span);
  }

  /** Puts in what `older` knows, which came before everything here. */
  prependAll(older: LevelSlots): void {
    const { widthMs } = this;
    for (let slot = older.#newest; older.#holds(slot); slot--) {
      const span = older.spanAt(slot * widthMs);
      if (span) this.prepend(slot * widthMs, span);
    }
  }

  /** The slot that begins at or before `atMs`; null when none of it is covered. */
  spanAt(atMs: number): LevelSpan | null {
    return this.#known(Math.floor(atMs / this.widthMs));
  }

  /**
   * Shows everything known of each bucket from `fromMs` to before `toMs`, oldest first; all are multiples of the width.
   * Buckets of which nothing is known are left out. The span is one object that the next bucket changes.
   */
  each(fromMs: number, toMs: number, bucketMs: number, see: (atMs: number, span: LevelSpan) => void): void {
    const slots = bucketMs / this.widthMs;
    const span = { ...NOTHING };
    for (let slot = fromMs / this.widthMs; slot < toMs / this.widthMs; slot += slots) {
      this.#gather(slot, slot + slots, span);
      if (span.coveredMs > 0) see(slot * this.widthMs, span);
    }
  }

  #known(slot: number): LevelSpan | null {
    const span = { ...NOTHING };
    this.#gather(slot, slot + 1, span);
    return span.coveredMs > 0 ? span : null;
  }

  /** Puts what is known of the slots from `first` to before `end` into `span`. */
  #gather(first: number, end: number, span: Writable<LevelSpan>): void {
    const from = Math.max(first, this.#newest - this.#capacity + 1);
    const to = Math.min(end, this.#newest + 1);
    let place = from % this.#capacity;
    span.coveredMs = 0;
    span.area = 0;
    for (let slot = from; slot < to; slot++) {
      const coveredMs = this.#coveredMs[place] ?? 0;
      if (coveredMs > 0) {
        const high = this.#high[place] ?? 0;
        const low = this.#low[place] ?? 0;
        const isFirst = span.coveredMs === 0;
        if (isFirst) span.open = this.#open[place] ?? 0;
        if (isFirst || high > span.high) span.high = high;
        if (isFirst || low < span.low) span.low = low;
        span.close = this.#close[place] ?? 0;
        span.area += this.#area[place] ?? 0;
        span.coveredMs += coveredMs;
      }
      if (++place === this.#capacity) place = 0;
    }
  }

  /** The newest slot is at least this one; what falls out of the last so-and-so many is forgotten. */
  #reach(slot: number): void {
    const first = Math.max(this.#newest + 1, slot - this.#capacity + 1);
    for (let fresh = first; fresh <= slot; fresh++) this.#coveredMs[fresh % this.#capacity] = 0;
    this.#newest = Math.max(this.#newest, slot);
  }

  #holds(slot: number): boolean {
    return slot > this.#newest - this.#capacity && slot <= this.#newest;
  }

  #append(slot: number, span: LevelSpan): void {
    this.#reach(slot);
    if (!this.#holds(slot)) return;
    const known = this.#known(slot);
    this.#write(slot, known ? joined(known, span) : span);
  }

  #write(slot: number, { open, high, low, close, area, coveredMs }: LevelSpan): void {
    const place = slot % this.#capacity;
    this.#open[place] = open;
    this.#high[place] = high;
    this.#low[place] = low;
    this.#close[place] = close;
    this.#area[place] = area;
    this.#coveredMs[place] = coveredMs;
  }
}

/** Two stretches of time as one, the earlier first. */
function joined(one: LevelSpan, two: LevelSpan): LevelSpan {
  return {
    open: one.open,
    high: Math.max(one.high, two.high),
    low: Math.min(one.low, two.low),
    close: two.close,
    area: one.area + two.area,
    coveredMs: one.coveredMs + two.coveredMs,
  };
}

/** The time-weighted mean of a stretch, in whole nano-dollars. */
export function meanOf({ area, coveredMs }: LevelSpan): PriceNano {
  return Math.round(area / coveredMs);
}
