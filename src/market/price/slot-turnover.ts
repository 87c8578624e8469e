/**
 * How often the slots of a market come free, and whether that is often enough for the promise of its quote. The start rate is how many orders a
 * second its pods start while all slots are busy: slots × orders that ended ÷ slot time that orders held. Idle time says
 * nothing about it and does not count, so that a quiet market is not taken for a slow one.
 */
import { claimOf } from '../book/held-times.ts';

/** Slot time is forgotten over this much time of full use. */
const FULL_USE_MS = 300_000;
/** Assumed if nothing is known: one order that claims a whole slot, and holds it for this long. */
const RUNS_MS = 20_000;
/** With fewer orders than this, ended or needed, there is no answer. */
const ORDERS_MIN = 30;
/** An order that held its slot for less counts in part, so that a flood of single tokens cannot make slots look quick. */
const WHOLE_MS = 1000;

/** The state from which a restart continues: slot time, and the orders that ended, short ones in part. */
export type TurnoverState = ReturnType<SlotTurnover['state']>;

/** The turnover of the slots of one market. Notify it of every order that starts and ends, and `count` before. */
export class SlotTurnover {
  readonly #leastPerSecond: number;
  #heldMs: number;
  #ended: number;
  #claimed: number;
  #executing = 0;
  #countedToMs: number;

  /** `target` is the share of locks, below 1, that should start within `windowMs`. Earlier versions stored no `claimed`. */
  constructor(
    { target, windowMs }: { readonly target: number; readonly windowMs: number },
    nowMs: number,
    recovered: Partial<TurnoverState> | null = null,
  ) {
    this.#leastPerSecond = (-Math.log(1 - target) * 1000) / windowMs;
    this.#heldMs = recovered?.heldMs ?? 0;
    this.#ended = recovered?.ended ?? 0;
    this.#claimed = recovered?.claimed ?? this.#ended;
    this.#countedToMs = nowMs;
  }

  /** Counts the time up to now with these slots. When the clock steps back, nothing is counted. */
  count(slots: number, nowMs: number): void {
    const ms = Math.max(0, nowMs - this.#countedToMs);
    this.#countedToMs = nowMs;
    if (ms === 0 || slots === 0 || this.#executing === 0) return;
    const use = Math.min(1, this.#executing / slots);
    const left = Math.exp((-use * ms) / FULL_USE_MS);
    this.#heldMs = this.#heldMs * left + (this.#executing / use) * FULL_USE_MS * (1 - left);
    this.#ended *= left;
    this.#claimed *= left;
  }

  starts(): void {
    this.#executing++;
  }

  /** An order gave its slot back after this time; after the clock stepped back it is negative, and counts as long. */
  ends(heldMs: number): void {
    this.#executing--;
    this.#claimed += claimOf(heldMs);
    this.#ended += heldMs < 0 ? 1 : Math.min(1, heldMs / WHOLE_MS);
  }

  /** How many slots come free in a second, each counted as the part of a slot that the next order is expected to claim. */
  claimsPerSecond(): number {
    return (this.#executing * 1000 * (this.#claimed + 1)) / (this.#heldMs + RUNS_MS);
  }

  /**
   * Whether 1 − e^(−window × start rate), the chance that any slot comes free in a window, reaches the target. Null until
   * thirty orders ended, or would have ended at the least rate that suffices, and without slots.
   */
  attainable(slots: number): boolean | null {
    if (slots === 0) return null;
    const needed = (this.#leastPerSecond * this.#heldMs) / 1000 / slots;
    return Math.max(this.#ended, needed) < ORDERS_MIN ? null : this.#ended >= needed;
  }

  state() {
    return { heldMs: this.#heldMs, ended: this.#ended, claimed: this.#claimed };
  }
}
