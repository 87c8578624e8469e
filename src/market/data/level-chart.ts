/**
 * The level history of one market: a month by the minute, a day by the quarter of a minute, an hour by the second, each
 * just fine enough for the buckets served from it. It is fed every change of level as it happens; a level stands until
 * the next change, also while the market is degraded. Time before this process is added with `prepend`.
 * docs/decisions/0012.
 */

import type { PriceNano } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { LevelBlock } from '../level-records.ts';
import { blockBegin, type PlacedSpan, packed, SLOTS_PER_BLOCK, unpack } from './level-block.ts';
import { LevelSlots, type LevelSpan } from './level-slots.ts';

/** The slots that are stored: their widths, and how long each is kept. */
export const keptSlots = {
  seconds: { widthMs: 1000, keptMs: 3_700_000 },
  quarters: { widthMs: 15_000, keptMs: DAY_MS + HOUR_MS },
  minutes: { widthMs: MINUTE_MS, keptMs: 31 * DAY_MS },
} as const;

/** The levels of one market over the last month. */
export class LevelChart {
  readonly #seconds = slotsOf(keptSlots.seconds);
  readonly #quarters = slotsOf(keptSlots.quarters);
  readonly #minutes = slotsOf(keptSlots.minutes, HOUR_MS);
  readonly #all = [this.#minutes, this.#quarters, this.#seconds];
  #level: PriceNano = 0;
  /** Null until the first change; nothing is known before it. */
  #countedToMs: number | null = null;

  /** The level changed. A step back in time counts as no time. */
  move(level: PriceNano, atMs: number): void {
    this.count(atMs);
    this.#level = level;
    this.#countedToMs = Math.max(atMs, this.#countedToMs ?? atMs);
  }

  /** Records that the level stood until now. */
  count(nowMs: number): void {
    const fromMs = this.#countedToMs;
    if (fromMs === null || nowMs <= fromMs) return;
    this.add(this.#level, fromMs, nowMs);
    this.#countedToMs = nowMs;
  }

  /** Records that a level stood from `fromMs` to before `toMs`, after everything recorded here. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    for (const slots of this.#all) slots.add(level, fromMs, toMs);
  }

  /** Adds a block that this gateway stored, after everything recorded here. A block of an unknown width is ignored. */
  append(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const slots = this.#ofWidth(block.widthMs);
    unpack(block.slots, (place, span) => slots?.append(first + place, span));
  }

  /** Adds another process's block before everything recorded here. Of blocks that share a slot, add the newest first. */
  prepend(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const slots = this.#ofWidth(block.widthMs);
    unpack(block.slots, (place, span) => slots?.prepend(first + place, span));
  }

  /** Adds the last day of a chart built from single changes, before everything recorded here. */
  prependChanges(older: LevelChart): void {
    this.#seconds.prependAll(older.#seconds);
    this.#quarters.prependAll(older.#quarters);
  }

  /**
   * The blocks to store for the time from `fromMs` to before `toMs`: whole blocks that overlap it, without prepended
   * data and without slots from `toMs` on. The caller also stores `toMs` as the end of what it recorded. A later slot
   * would be counted twice when the gap after a killed process is filled in.
   */
  *blocks(model: string, fromMs: number, toMs: number): Generator<LevelBlock> {
    for (const { widthMs, keptMs } of Object.values(keptSlots)) {
      const beginMs = blockBegin(widthMs, Math.max(fromMs, toMs - keptMs));
      for (let atMs = beginMs; atMs < toMs; atMs += widthMs * SLOTS_PER_BLOCK) {
        const slots: PlacedSpan[] = [];
        const first = atMs / widthMs;
        const put = (slot: number, span: LevelSpan) => void slots.push([slot - first, span]);
        const end = Math.min(first + SLOTS_PER_BLOCK, Math.ceil(toMs / widthMs));
        this.#ofWidth(widthMs)?.eachAppended(first, end, put);
        if (slots.length > 0) yield { model, widthMs, fromMs: atMs, slots: packed(slots) };
      }
    }
  }

  /**
   * Visits each bucket from `fromMs` to before `toMs`, oldest first. Both are multiples of `bucketMs`, a whole number
   * of seconds. Empty buckets are left out. All visits get the same object, which the next one overwrites.
   */
  each(fromMs: number, toMs: number, bucketMs: number, visit: (atMs: number, span: LevelSpan) => void): void {
    const slots = this.#all.find(({ widthMs }) => bucketMs % widthMs === 0);
    slots?.each(fromMs, toMs, bucketMs, visit);
  }

  #ofWidth(widthMs: number): LevelSlots | undefined {
    return this.#all.find((slots) => slots.widthMs === widthMs);
  }
}

function slotsOf({ widthMs, keptMs }: { widthMs: number; keptMs: number }, moreMs = 0): LevelSlots {
  return new LevelSlots(widthMs, (keptMs + moreMs) / widthMs);
}
