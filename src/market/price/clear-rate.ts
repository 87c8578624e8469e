/**
 * The share of locks that started within their window, measured over the last day: of all of them, and of those that were
 * quoted more than the lowest level, where slots are scarce. Counts are kept per minute, so that a day stays small
 * however many locks there are and a restart continues from the stored minutes. Spec 2.8.
 */
import { MINUTE_MS } from '#base/time.ts';
import type { CountedLock } from '../book/market-order.ts';
import type { LockMinute } from '../ports.ts';

/** The length of the measured period. */
export const CLEAR_RATE_WINDOW_MS = 86_400_000;
/** With fewer locks than this the share means nothing. */
export const LOCKS_MIN = 30;

type Counts = { -readonly [Name in Exclude<keyof LockMinute, 'minuteMs'>]: number };

/** Two shares from 0 to 1; null with fewer than 30 locks. */
export interface ClearRates {
  readonly all: number | null;
  readonly scarce: number | null;
}

/** Lock outcomes per minute, for at most a day. */
export class ClearRate {
  readonly #minutes = new Map<number, Counts>();
  readonly #changed = new Set<number>();
  /** Parts of locks that are not counted yet. */
  readonly #rest = nothing();

  constructor(recovered: readonly LockMinute[] = []) {
    for (const { minuteMs, ...counts } of recovered) this.#minutes.set(minuteMs, counts);
  }

  /**
   * A lock started, or missed its window. Whole locks are counted; the rest is kept for the next. A negative weight takes back
   * one that was counted at `atMs`.
   */
  count(outcome: 'started' | 'missed', atMs: number, { weight, scarce }: Pick<CountedLock, 'weight' | 'scarce'>): void {
    this.#add(outcome, weight, atMs);
    if (scarce) this.#add(outcome === 'started' ? 'scarceStarted' : 'scarceMissed', weight, atMs);
  }

  rates(nowMs: number): ClearRates {
    const sum = nothing();
    for (const [minuteMs, counts] of this.#minutes) {
      if (minuteMs <= nowMs - CLEAR_RATE_WINDOW_MS) this.#minutes.delete(minuteMs);
      else for (const name of NAMES) sum[name] += counts[name];
    }
    return { all: shareOf(sum.started, sum.missed), scarce: shareOf(sum.scarceStarted, sum.scarceMissed) };
  }

  /** The minutes whose counts changed since the last call, with their full counts. */
  takeChanged(): LockMinute[] {
    const changed = [...this.#changed].map((minuteMs) => ({ minuteMs, ...this.#at(minuteMs) }));
    this.#changed.clear();
    return changed;
  }

  #add(name: keyof Counts, weight: number, atMs: number): void {
    const rest = this.#rest[name] + weight;
    const whole = rest < 0 ? -1 : Number(rest >= 1);
    this.#rest[name] = rest - whole;
    if (whole === 0) return;
    const counts = this.#at(atMs);
    counts[name] = Math.max(0, counts[name] + whole);
  }

  #at(atMs: number): Counts {
    const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    let counts = this.#minutes.get(minuteMs);
    if (!counts) {
      counts = nothing();
      this.#minutes.set(minuteMs, counts);
    }
    this.#changed.add(minuteMs);
    return counts;
  }
}

function nothing(): Counts {
  return { started: 0, missed: 0, scarceStarted: 0, scarceMissed: 0 };
}

const NAMES = ['started', 'missed', 'scarceStarted', 'scarceMissed'] as const;

function shareOf(started: number, missed: number): number | null {
  return started + missed < LOCKS_MIN ? null : started / (started + missed);
}
