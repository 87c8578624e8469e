/**
 * Levels over time in slots of one width: the last so-and-so many of them, side by side in typed arrays, so that a month
 * of minutes is two megabytes and a chart of it is one pass. A slot knows the open, high, low and close of the time it
 * covers and the integral of the level over it; what nobody saw is not covered and has no part in any mean.
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

const OPEN = 0;
const HIGH = 1;
const LOW = 2;
const CLOSE = 3;
const AREA = 4;
const COVERED = 5;
const FIELDS = 6;
const NOTHING = -1;

/** The newest slots; older ones make room by themselves. Time is added from the oldest to the newest. */
export class LevelSlots {
  readonly widthMs: number;
  readonly #capacity: number;
  /** Which slot stands at each place, counted from the epoch; `NOTHING` for none. */
  readonly #numbers: Float64Array;
  readonly #fields: Float64Array;

  constructor(widthMs: number, capacity: number) {
    this.widthMs = widthMs;
    this.#capacity = capacity;
    this.#numbers = new Float64Array(capacity).fill(NOTHING);
    this.#fields = new Float64Array(capacity * FIELDS);
  }

  /** The level stood from `fromMs` to before `toMs`. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    const last = Math.ceil(toMs / this.widthMs) - 1;
    const first = Math.max(Math.floor(fromMs / this.widthMs), last - this.#capacity + 1);
    for (let slot = first; slot <= last; slot++) {
      const from = Math.max(fromMs, slot * this.widthMs);
      const coveredMs = Math.min(toMs, (slot + 1) * this.widthMs) - from;
      if (coveredMs > 0) this.#append(slot, level, coveredMs);
    }
  }

  /** Puts in what came before everything here, such as what was stored: in a slot that both know it comes first. */
  prepend(atMs: number, span: LevelSpan): void {
    const slot = Math.floor(atMs / this.widthMs);
    const known = this.spanAt(atMs);
    if (known) this.#write(slot, joined(span, known));
    else if ((this.#numbers[slot % this.#capacity] ?? NOTHING) < slot) this.#write(slot, span);
  }

  /** Puts in what `older` knows, which came before everything here. */
  prependAll(older: LevelSlots): void {
    for (const slot of older.#numbers) {
      const span = slot === NOTHING ? null : older.spanAt(slot * this.widthMs);
      if (span) this.prepend(slot * this.widthMs, span);
    }
  }

  /** The slot that begins at or before `atMs`; null when none of it is covered. */
  spanAt(atMs: number): LevelSpan | null {
    const slot = Math.floor(atMs / this.widthMs);
    const place = slot % this.#capacity;
    if (this.#numbers[place] !== slot) return null;
    const at = (field: number) => this.#fields[place * FIELDS + field] ?? 0;
    return { open: at(OPEN), high: at(HIGH), low: at(LOW), close: at(CLOSE), area: at(AREA), coveredMs: at(COVERED) };
  }

  /** Everything known from `fromMs` (a multiple of the width) to before `toMs`; null when nothing is. */
  over(fromMs: number, toMs: number): LevelSpan | null {
    let span: LevelSpan | null = null;
    for (let atMs = fromMs; atMs < toMs; atMs += this.widthMs) {
      const next = this.spanAt(atMs);
      if (next) span = span ? joined(span, next) : next;
    }
    return span;
  }

  #append(slot: number, level: PriceNano, coveredMs: number): void {
    const place = slot % this.#capacity;
    const fields = this.#fields;
    const at = place * FIELDS;
    if (this.#numbers[place] !== slot) {
      this.#numbers[place] = slot;
      fields.fill(level, at, at + AREA);
      fields[at + AREA] = level * coveredMs;
      fields[at + COVERED] = coveredMs;
      return;
    }
    fields[at + HIGH] = Math.max(fields[at + HIGH] ?? level, level);
    fields[at + LOW] = Math.min(fields[at + LOW] ?? level, level);
    fields[at + CLOSE] = level;
    fields[at + AREA] = (fields[at + AREA] ?? 0) + level * coveredMs;
    fields[at + COVERED] = (fields[at + COVERED] ?? 0) + coveredMs;
  }

  #write(slot: number, { open, high, low, close, area, coveredMs }: LevelSpan): void {
    const place = slot % this.#capacity;
    this.#numbers[place] = slot;
    this.#fields.set([open, high, low, close, area, coveredMs], place * FIELDS);
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
