/**
 * Levels over time in slots of one width: the last so-and-so many of them, side by side in typed arrays that have their
 * full size from the beginning, so that a market takes the same memory on its first day as after a month. A slot knows
 * the open, high, low and close of the time it covers and the integral of the level over it; what nobody saw is not
 * covered and has no part in any mean.
 *
 * Time is appended as it passes, and what others saw before is prepended. Only the first slot that was appended to can
 * have a part of both; the two are kept apart, because whoever appends also stores what he saw, and nothing else.
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

/** The newest slots; older ones make room by themselves. */
export class LevelSlots {
  readonly widthMs: number;
  readonly #capacity: number;
  /** This slot and the ones before it are here; counted from the epoch, each at its remainder. */
  #newest = 0;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #area: Float64Array;
  /** 0 where nothing is known. */
  readonly #coveredMs: Uint32Array;
  /** The first slot that was appended to; infinite before that. */
  #first = Number.POSITIVE_INFINITY;
  /** What was prepended to it. */
  #before: LevelSpan | null = null;

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

  /** The level stood from `fromMs` to before `toMs`, after everything that was appended. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    const last = Math.ceil(toMs / this.widthMs) - 1;
    const first = Math.max(Math.floor(fromMs / this.widthMs), last - this.#capacity + 1);
    for (let slot = first; slot <= last; slot++) {
      const from = Math.max(fromMs, slot * this.widthMs);
      const coveredMs = Math.min(toMs, (slot + 1) * this.widthMs) - from;
      if (coveredMs <= 0) continue;
      this.append(slot, { open: level, high: level, low: level, close: level, area: level * coveredMs, coveredMs });
    }
  }

  /** Puts in what came after everything that was appended. */
  append(slot: number, span: LevelSpan): void {
    if (this.#first === Number.POSITIVE_INFINITY) this.#begin(slot);
    const known = this.#at(slot);
    this.#write(slot, known ? joined(known, span) : span);
  }

  /** Puts in what came before everything here, such as what was stored. What begins after the first append is left out. */
  prepend(slot: number, span: LevelSpan): void {
    if (slot > this.#first) return;
    const known = slot === this.#first ? this.#before : this.#at(slot);
    const whole = known ? joined(span, known) : span;
    if (slot === this.#first) this.#before = { ...whole };
    else this.#write(slot, whole);
  }

  /** Puts in what `older` knows, which came before everything here. */
  prependAll(older: LevelSlots): void {
    const { widthMs } = this;
    const endMs = (older.#newest + 1) * widthMs;
    const fromMs = Math.max(0, endMs - older.#capacity * widthMs);
    older.each(fromMs, endMs, widthMs, (atMs, span) => this.prepend(atMs / widthMs, span));
  }

  /** Shows what was appended to the slots from `first` to before `end`, oldest first. */
  eachAppended(first: number, end: number, see: (slot: number, span: LevelSpan) => void): void {
    for (let slot = Math.max(first, this.#first); slot < end && slot <= this.#newest; slot++) {
      const span = this.#at(slot);
      if (span) see(slot, span);
    }
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

  /** The first slot that is appended to: what is in it came from others. */
  #begin(slot: number): void {
    this.#first = slot;
    this.#before = this.#at(slot);
    if (this.#before) this.#coveredMs[slot % this.#capacity] = 0;
  }

  #holds(slot: number): boolean {
    return slot > this.#newest - this.#capacity && slot <= this.#newest;
  }

  /** What is in the place of a slot; of the first one that is what was appended. */
  #at(slot: number): LevelSpan | null {
    if (!this.#holds(slot) || this.#coveredMs[slot % this.#capacity] === 0) return null;
    const span = { ...NOTHING };
    this.#collect(slot, slot + 1, span);
    return span;
  }

  /** Makes `span` what is known of the slots from `first` to before `end`. */
  #gather(first: number, end: number, span: Writable<LevelSpan>): void {
    span.area = 0;
    span.coveredMs = 0;
    const before = this.#before;
    if (before && first <= this.#first && this.#first < end && this.#holds(this.#first)) {
      this.#collect(first, this.#first, span);
      Object.assign(span, span.coveredMs > 0 ? joined(span, before) : before);
      this.#collect(this.#first, end, span);
    } else {
      this.#collect(first, end, span);
    }
  }

  /** Extends `span` by the slots from `first` to before `end`. */
  #collect(first: number, end: number, span: Writable<LevelSpan>): void {
    const from = Math.max(first, this.#newest - this.#capacity + 1);
    const to = Math.min(end, this.#newest + 1);
    let place = from % this.#capacity;
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

  /** What falls out of the last so-and-so many slots is forgotten, and what is older than they are is not taken. */
  #write(slot: number, { open, high, low, close, area, coveredMs }: LevelSpan): void {
    const fresh = Math.max(this.#newest + 1, slot - this.#capacity + 1);
    for (let empty = fresh; empty <= slot; empty++) this.#coveredMs[empty % this.#capacity] = 0;
    this.#newest = Math.max(this.#newest, slot);
    if (!this.#holds(slot)) return;
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
