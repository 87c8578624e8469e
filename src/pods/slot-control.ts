/**
 * How many slots a pod offers that follows its engine: one step more at each reading while the slots are full and
 * nothing waits in the engine, a fifth less when something waits there or its cache is nearly full. A number of slots that
 * was too many is not tried again for five minutes, so that it rests below what the engine can do and does not swing. Those
 * are counted from the first fall, and what comes then before the number was tried again says nothing about it: short
 * pressure every few minutes does not push it down for ever.
 * docs/decisions/0053.
 */
import type { EngineLoad } from './engine-load.ts';

/** The bounds of the slots, each from 1. */
export interface SlotBounds {
  readonly min: number;
  readonly max: number;
}

/** How often an engine is read. */
export const READ_MS = 2_000;
/** Slots are full with this share of them running: orders end between two readings. */
const FULL = 0.9;
/** Above the first the cache is nearly full; up to the second it has room. */
const CACHE_HIGH = 0.9;
const CACHE_ROOM = 0.8;
/** Readings in a row that must say the same: a request that has just come waits for the next step of its engine. */
const PRESSED_READS = 2;
const FALL = 0.8;
/** A fall is given this many readings to show; up to the second number while more runs there than the slots allow. */
const SETTLE_READS = 5;
const SETTLE_READS_MAX = 30;
/** For this many readings it stays below a number that was too many: five minutes. */
const PATIENCE_READS = 150;
/** This many readings missed in a row, and it offers the fewest: nothing is known about the engine. */
const MISSED_MAX = 3;
/** From the fewest slots to the most in about two minutes, while no number was too many; slot by slot after that. */
const STEPS = 64;

/** The slots of one pod; it begins with the fewest. */
export class SlotControl {
  #bounds: SlotBounds;
  #slots: number;
  /** The number that was too many; null for none. */
  #knee: number | null = null;
  #sinceKnee = 0;
  #hasFallen = false;
  #sinceFall = SETTLE_READS_MAX;
  #pressed = 0;
  #missed = 0;

  constructor(bounds: SlotBounds) {
    this.#bounds = bounds;
    this.#slots = bounds.min;
  }

  /** From the fewest to the most. */
  get slots(): number {
    return this.#slots;
  }

  /** Whether it offers the fewest because its engine cannot be read. */
  get blind(): boolean {
    return this.#missed >= MISSED_MAX;
  }

  get bounds(): SlotBounds {
    return this.#bounds;
  }

  /** Other bounds, at once. */
  set bounds(bounds: SlotBounds) {
    this.#bounds = bounds;
    this.#set(this.#slots);
  }

  take(load: EngineLoad): void {
    this.#missed = 0;
    this.#pass();
    const isPressed = load.waiting > 0 || (load.cache ?? 0) > CACHE_HIGH;
    this.#pressed = isPressed ? this.#pressed + 1 : 0;
    if (this.#pressed >= PRESSED_READS) this.#fall(load);
    else if (!isPressed) this.#rise(load);
  }

  /** A reading that failed. */
  miss(): void {
    this.#missed++;
    this.#pass();
    this.#pressed = 0;
    if (!this.blind) return;
    this.#knee = null;
    this.#hasFallen = false;
    this.#set(this.#bounds.min);
  }

  /** The time of a reading has passed. */
  #pass(): void {
    this.#sinceFall++;
    this.#sinceKnee++;
  }

  /** Whether the number that was too many may be tried again. */
  get #isOver(): boolean {
    return this.#sinceKnee >= PATIENCE_READS;
  }

  #fall({ running, waiting }: EngineLoad): void {
    // Running requests go on, so the effect of a fall shows only after they have ended.
    const settleReads = running + waiting > this.#slots ? SETTLE_READS_MAX : SETTLE_READS;
    if (this.#sinceFall < settleReads) return;
    this.#learn();
    this.#hasFallen = true;
    this.#sinceFall = 0;
    this.#set(Math.floor(this.#slots * FALL));
  }

  /**
   * A fall lowers the number that was too many, and does not make its time longer. When that is over and the number was
   * not tried again yet, this fall says nothing about it. The next one counts; otherwise slots would fall each time
   * they have climbed.
   */
  #learn(): void {
    if (this.#knee !== null && this.#isOver) {
      this.#knee = null;
      return;
    }
    if (this.#knee === null) this.#sinceKnee = 0;
    this.#knee = this.#slots;
  }

  #rise({ running, cache }: EngineLoad): void {
    const isFull = running >= FULL * this.#slots;
    if (!isFull || (cache ?? 0) > CACHE_ROOM || this.#sinceFall < SETTLE_READS) return;
    const { min, max } = this.#bounds;
    const next = this.#slots + (this.#hasFallen ? 1 : Math.max(1, Math.floor((max - min) / STEPS)));
    const most = this.#knee === null || this.#isOver ? max : Math.max(this.#slots, this.#knee - 1);
    this.#set(Math.min(next, most));
    // It was tried again.
    if (this.#isOver && this.#slots >= (this.#knee ?? max)) this.#knee = null;
  }

  #set(slots: number): void {
    const { min, max } = this.#bounds;
    this.#slots = Math.min(max, Math.max(min, slots));
  }
}
