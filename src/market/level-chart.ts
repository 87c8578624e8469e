/**
 * What the levels of one market were: a month by the minute, a day by the quarter of a minute, an hour by the second,
 * each just fine enough for the buckets that are served from it. It is fed with every change of level as it happens; a
 * level stands until the next change, also while the market is degraded. Time before this process comes in by
 * `prepend`. Design: history.
 */
import type { PriceNano } from '#base/money.ts';
import { LevelSlots, type LevelSpan, meanOf } from './level-slots.ts';
import type { LevelMinute } from './ports.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long minutes are kept. */
export const MINUTES_KEPT_MS = 31 * DAY_MS;
/** From how far back single changes are wanted after a restart. */
export const CHANGES_WANTED_MS = DAY_MS + HOUR_MS;

/** The levels of one market over the last month. */
export class LevelChart {
  readonly #seconds = new LevelSlots(1000, 3700);
  readonly #quarters = new LevelSlots(15_000, CHANGES_WANTED_MS / 15_000);
  readonly #minutes = new LevelSlots(MINUTE_MS, MINUTES_KEPT_MS / MINUTE_MS + 60);
  #level: PriceNano = 0;
  /** Null until the first change; before it nothing is known. */
  #countedToMs: number | null = null;

  /** The level changed. A step back in time counts as none. */
  move(level: PriceNano, atMs: number): void {
    this.count(atMs);
    this.#level = level;
    this.#countedToMs = Math.max(atMs, this.#countedToMs ?? atMs);
  }

  /** The level stood until now. */
  count(nowMs: number): void {
    const fromMs = this.#countedToMs;
    if (fromMs === null || nowMs <= fromMs) return;
    this.add(this.#level, fromMs, nowMs);
    this.#countedToMs = nowMs;
  }

  /** A level stood from `fromMs` to before `toMs`, after everything that is here. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    for (const slots of [this.#seconds, this.#quarters, this.#minutes]) slots.add(level, fromMs, toMs);
  }

  /** A stored minute; minutes come from the newest to the oldest, before what is here already. */
  prependMinute({ minuteMs, open, high, low, close, mean, coveredMs }: LevelMinute): void {
    this.#minutes.prepend(minuteMs, { open, high, low, close, area: mean * coveredMs, coveredMs });
  }

  /** The last day as another chart knows it from single changes, before what is here already. */
  prependChanges(older: LevelChart): void {
    this.#seconds.prependAll(older.#seconds);
    this.#quarters.prependAll(older.#quarters);
  }

  /** What is known of one minute; null when nothing is. */
  minute(model: string, minuteMs: number): LevelMinute | null {
    const span = this.#minutes.spanAt(minuteMs);
    if (!span) return null;
    const { open, high, low, close, coveredMs } = span;
    return { model, minuteMs, open, high, low, close, mean: meanOf(span), coveredMs };
  }

  /**
   * Shows what is known of each bucket from `fromMs` to before `toMs`, oldest first, both multiples of `bucketMs`, a whole
   * number of seconds. Buckets of which nothing is known are left out. The span is one object that the next bucket changes.
   */
  each(fromMs: number, toMs: number, bucketMs: number, see: (atMs: number, span: LevelSpan) => void): void {
    const slots = [this.#minutes, this.#quarters, this.#seconds].find(({ widthMs }) => bucketMs % widthMs === 0);
    slots?.each(fromMs, toMs, bucketMs, see);
  }
}
