/**
 * What the levels of one market were: a month by the minute, a day by the quarter of a minute, an hour by the second,
 * each just fine enough for the buckets that are served from it. It is fed with every change of level as it happens; a
 * level stands until the next change, also while the market is degraded. Time before this process comes in by
 * `prepend`. docs/decisions/0012.
 */
import type { PriceNano } from '#base/money.ts';
import { blockBegin, type Placed, packed, SLOTS_A_BLOCK, unpack } from './level-block.ts';
import { LevelSlots, type LevelSpan } from './level-slots.ts';
import type { LevelBlock } from './ports.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What of a chart outlives a process: slots of these widths, and of how long ago. */
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
    for (const slots of this.#all) slots.add(level, fromMs, toMs);
  }

  /** What the same gateway stored, after everything that is here. Of a width that no chart has it is ignored. */
  append(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const slots = this.#ofWidth(block.widthMs);
    unpack(block.slots, (place, span) => slots?.append(first + place, span));
  }

  /** What others stored, before everything that is here; of those who saw the same slot, the newest comes first. */
  prepend(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const slots = this.#ofWidth(block.widthMs);
    unpack(block.slots, (place, span) => slots?.prepend(first + place, span));
  }

  /** The last day as another chart knows it from single changes, before what is here already. */
  prependChanges(older: LevelChart): void {
    this.#seconds.prependAll(older.#seconds);
    this.#quarters.prependAll(older.#quarters);
  }

  /**
   * What was added and appended here in the time from `fromMs` to before `toMs`, as it is stored: whole blocks that
   * overlap it, without what was prepended, and without the slots from `toMs` on. Whoever stores them says that he saw
   * so far: what came later would be counted again when a process that was killed is made up for.
   */
  *blocks(model: string, fromMs: number, toMs: number): Generator<LevelBlock> {
    for (const { widthMs, keptMs } of Object.values(keptSlots)) {
      const beginMs = blockBegin(widthMs, Math.max(fromMs, toMs - keptMs));
      for (let atMs = beginMs; atMs < toMs; atMs += widthMs * SLOTS_A_BLOCK) {
        const slots: Placed[] = [];
        const first = atMs / widthMs;
        const put = (slot: number, span: LevelSpan) => void slots.push([slot - first, span]);
        const end = Math.min(first + SLOTS_A_BLOCK, Math.ceil(toMs / widthMs));
        this.#ofWidth(widthMs)?.eachAppended(first, end, put);
        if (slots.length > 0) yield { model, widthMs, fromMs: atMs, slots: packed(slots) };
      }
    }
  }

  /**
   * Shows what is known of each bucket from `fromMs` to before `toMs`, oldest first, both multiples of `bucketMs`, a whole
   * number of seconds. Buckets of which nothing is known are left out. The span is one object that the next bucket changes.
   */
  each(fromMs: number, toMs: number, bucketMs: number, see: (atMs: number, span: LevelSpan) => void): void {
    const slots = this.#all.find(({ widthMs }) => bucketMs % widthMs === 0);
    slots?.each(fromMs, toMs, bucketMs, see);
  }

  #ofWidth(widthMs: number): LevelSlots | undefined {
    return this.#all.find((slots) => slots.widthMs === widthMs);
  }
}

function slotsOf({ widthMs, keptMs }: { widthMs: number; keptMs: number }, moreMs = 0): LevelSlots {
  return new LevelSlots(widthMs, (keptMs + moreMs) / widthMs);
}
