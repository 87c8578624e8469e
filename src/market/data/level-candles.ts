/**
 * The last levels over time, in candles of one width. A candle stores the open, high, low and close of the time it covers,
 * and the integral of the level over it. Time that nobody observed is not covered and does not count in any mean. The
 * candles live in stretches of sixty candles each (`LevelStretch`), which are made when they are written, and take
 * the memory of one candle while the level stands still.
 *
 * New time is appended; what other processes observed earlier is prepended. Only the first appended candle can contain
 * both. Its two parts are kept apart, because this process stores what it appended and nothing else.
 * docs/decisions/0012.
 */
import type { PriceNano } from '#base/money.ts';

/** The levels of one period. `area` is level times milliseconds; `coveredMs` is never 0. */
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

/** The numbers that are kept of a candle, beside the time that it covers. */
const FIGURES = 5;

/** The newest candles in a ring buffer of stretches; each new stretch overwrites the oldest. */
export class LevelCandles {
  readonly widthMs: number;
  readonly #capacity: number;
  /** The newest candle in the ring. Candles are numbered from the epoch. */
  #newest = 0;
  /** Each stretch at its number modulo the length; undefined if nobody observed any of it. */
  readonly #ring: (LevelStretch | undefined)[];
  /** The first candle that was appended to; infinite until then. */
  #first = Number.POSITIVE_INFINITY;
  /** The prepended part of that candle. */
  #before: LevelSpan | null = null;

  constructor(widthMs: number, capacity: number) {
    this.widthMs = widthMs;
    this.#capacity = capacity;
    this.#ring = new Array(Math.ceil(capacity / CANDLES_PER_STRETCH) + 1).fill(undefined);
  }

  /** Records that the level stood from `fromMs` to before `toMs`, after everything appended. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    const last = Math.ceil(toMs / this.widthMs) - 1;
    const first = Math.max(Math.floor(fromMs / this.widthMs), last - this.#capacity + 1);
    for (let candle = first; candle <= last; candle++) {
      const from = Math.max(fromMs, candle * this.widthMs);
      const coveredMs = Math.min(toMs, (candle + 1) * this.widthMs) - from;
      if (coveredMs <= 0) continue;
      this.append(candle, { open: level, high: level, low: level, close: level, area: level * coveredMs, coveredMs });
    }
  }

  /** Adds a span after everything appended. */
  append(candle: number, span: LevelSpan): void {
    if (this.#first === Number.POSITIVE_INFINITY) {
      // The content of the first candle was prepended.
      this.#first = candle;
      this.#before = this.#at(candle);
      if (this.#before) this.#write(candle, NOTHING);
    }
    const known = this.#at(candle);
    this.#write(candle, known ? joined(known, span) : span);
  }

  /** Adds a span before everything here, such as a stored one. Candles after the first appended one are ignored. */
  prepend(candle: number, span: LevelSpan): void {
    if (candle > this.#first) return;
    const known = candle === this.#first ? this.#before : this.#at(candle);
    const whole = known ? joined(span, known) : span;
    if (candle === this.#first) this.#before = { ...whole };
    else this.#write(candle, whole);
  }

  /** The stretch of this candle is written: if all of its candles are equal, one of them is kept. */
  settle(candle: number): void {
    this.#ring[Math.floor(candle / CANDLES_PER_STRETCH) % this.#ring.length]?.settle();
  }

  /** Prepends everything in `older`, which ended before anything here. */
  prependAll(older: LevelCandles): void {
    const { widthMs } = this;
    const endMs = (older.#newest + 1) * widthMs;
    const fromMs = Math.max(0, endMs - older.#capacity * widthMs);
    older.each(fromMs, endMs, widthMs, (atMs, span) => this.prepend(atMs / widthMs, span));
  }

  /** Visits the appended parts of the candles from `first` to before `end`, oldest first. */
  eachAppended(first: number, end: number, visit: (candle: number, span: LevelSpan) => void): void {
    for (let candle = Math.max(first, this.#first); candle < end && candle <= this.#newest; candle++) {
      const span = this.#at(candle);
      if (span) visit(candle, span);
    }
  }

  /**
   * Visits each bucket from `fromMs` to before `toMs`, oldest first; all three are multiples of the width. Empty
   * buckets are left out. All visits get the same object, which the next one overwrites.
   */
  each(fromMs: number, toMs: number, bucketMs: number, visit: (atMs: number, span: LevelSpan) => void): void {
    const candles = bucketMs / this.widthMs;
    const span = { ...NOTHING };
    for (let candle = fromMs / this.widthMs; candle < toMs / this.widthMs; candle += candles) {
      this.#gather(candle, candle + candles, span);
      if (span.coveredMs > 0) visit(candle * this.widthMs, span);
    }
  }

  #holds(candle: number): boolean {
    return candle > this.#newest - this.#capacity && candle <= this.#newest;
  }

  /** The content of a candle; of the first appended candle, the appended part. */
  #at(candle: number): LevelSpan | null {
    const span = { ...NOTHING };
    this.#collect(candle, candle + 1, span);
    return span.coveredMs > 0 ? span : null;
  }

  /** Sets `span` to the candles from `first` to before `end`. */
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

  /** Extends `span` by the candles from `first` to before `end`. */
  #collect(first: number, end: number, span: Writable<LevelSpan>): void {
    const to = Math.min(end, this.#newest + 1);
    for (let candle = Math.max(first, this.#newest - this.#capacity + 1); candle < to; ) {
      const number = Math.floor(candle / CANDLES_PER_STRETCH);
      const begin = number * CANDLES_PER_STRETCH;
      const next = Math.min(to, begin + CANDLES_PER_STRETCH);
      this.#ring[number % this.#ring.length]?.collect(candle - begin, next - begin, span);
      candle = next;
    }
  }

  /** Overwrites candles that fall out of the ring, and ignores a candle that is older than the ring. */
  #write(candle: number, span: LevelSpan): void {
    const number = Math.floor(candle / CANDLES_PER_STRETCH);
    const newest = Math.floor(this.#newest / CANDLES_PER_STRETCH);
    if (number > newest) this.settle(this.#newest);
    for (let empty = Math.max(newest + 1, number - this.#ring.length + 1); empty <= number; empty++) {
      this.#ring[empty % this.#ring.length] = undefined;
    }
    this.#newest = Math.max(this.#newest, candle);
    if (!this.#holds(candle)) return;
    const place = number % this.#ring.length;
    const stretch = this.#ring[place] ?? new LevelStretch();
    this.#ring[place] = stretch;
    stretch.write(candle - number * CANDLES_PER_STRETCH, span);
  }
}

/** The candles of a stretch, and of a block, which is a stretch as it is stored. */
export const CANDLES_PER_STRETCH = 60;

/** Neighboring candles. While all of them are equal, and the stretch is over, they are stored once. */
class LevelStretch {
  /** Open, high, low, close and area of each candle, or of all. */
  #figures = new Float64Array(CANDLES_PER_STRETCH * FIGURES);
  /** 0 for a candle without data. */
  #coveredMs = new Uint32Array(CANDLES_PER_STRETCH);
  /** How far apart two candles are stored: 1, or 0 where one stands for all. */
  #step: 0 | 1 = 1;

  write(place: number, { open, high, low, close, area, coveredMs }: LevelSpan): void {
    this.#unfold();
    this.#figures.set([open, high, low, close, area], place * FIGURES);
    this.#coveredMs[place] = coveredMs;
  }

  /** Extends `span` by the candles from `first` to before `end`, counted within this stretch. */
  collect(first: number, end: number, span: Writable<LevelSpan>): void {
    for (let place = first; place < end; place++) {
      const coveredMs = this.#coveredMs[place * this.#step] ?? 0;
      if (coveredMs === 0) continue;
      const at = place * this.#step * FIGURES;
      const high = this.#figures[at + 1] ?? 0;
      const low = this.#figures[at + 2] ?? 0;
      const isFirst = span.coveredMs === 0;
      if (isFirst) span.open = this.#figures[at] ?? 0;
      if (isFirst || high > span.high) span.high = high;
      if (isFirst || low < span.low) span.low = low;
      span.close = this.#figures[at + 3] ?? 0;
      span.area += this.#figures[at + 4] ?? 0;
      span.coveredMs += coveredMs;
    }
  }

  /** The stretch is over: equal candles become one. */
  settle(): void {
    const isSteady =
      this.#coveredMs.every((covered) => covered === this.#coveredMs[0]) &&
      this.#figures.every((figure, at) => figure === this.#figures[at % FIGURES]);
    if (!isSteady) return;
    this.#figures = this.#figures.slice(0, FIGURES);
    this.#coveredMs = this.#coveredMs.slice(0, 1);
    this.#step = 0;
  }

  #unfold(): void {
    if (this.#step === 1) return;
    const [one, covered] = [this.#figures, this.#coveredMs[0] ?? 0];
    this.#figures = new Float64Array(CANDLES_PER_STRETCH * FIGURES).map((_, at) => one[at % FIGURES] ?? 0);
    this.#coveredMs = new Uint32Array(CANDLES_PER_STRETCH).fill(covered);
    this.#step = 1;
  }
}

/** Joins two periods, the earlier first. */
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

/** The time-weighted mean of a period, in whole nano-dollars. */
export function meanOf({ area, coveredMs }: LevelSpan): PriceNano {
  return Math.round(area / coveredMs);
}
