/**
 * The share of locks that started within their window, measured over the last day. Counts are kept per minute, so that
 * a day stays small however many locks there are and a restart continues from the stored minutes. Spec 2.8.
 */

import { MINUTE_MS } from '#base/time.ts';
import type { LockMinute } from './ports.ts';

/** The length of the measured period. */
export const CLEAR_RATE_WINDOW_MS = 86_400_000;
/** With fewer locks than this the share means nothing. */
const SAMPLES_MIN = 30;

interface Count {
  started: number;
  missed: number;
}

/** Lock outcomes per minute, for at most a day. */
export class ClearRate {
  readonly #minutes = new Map<number, Count>();
  readonly #changed = new Set<number>();
  #startedRest = 0;
  #missedRest = 0;

  constructor(recovered: readonly LockMinute[] = []) {
    for (const { minuteMs, started, missed } of recovered) this.#minutes.set(minuteMs, { started, missed });
  }

  /** A lock that counts this much, 0 to 1, started. Whole locks are counted; the rest is kept for the next. */
  started(atMs: number, weight: number): void {
    this.#startedRest += weight;
    if (this.#startedRest < 1) return;
    this.#startedRest--;
    this.#at(atMs).started++;
  }

  missed(atMs: number, weight: number): void {
    this.#missedRest += weight;
    if (this.#missedRest < 1) return;
    this.#missedRest--;
    this.#at(atMs).missed++;
  }

  /** The lock counted as started at `atMs` with this weight did not start after all. */
  takeBack(atMs: number, weight: number): void {
    this.#startedRest -= weight;
    if (this.#startedRest >= 0) return;
    this.#startedRest++;
    const count = this.#at(atMs);
    count.started = Math.max(0, count.started - 1);
  }

  /** From 0 to 1; null with fewer than 30 locks. */
  rate(nowMs: number): number | null {
    let started = 0;
    let all = 0;
    for (const [minuteMs, count] of this.#minutes) {
      if (minuteMs <= nowMs - CLEAR_RATE_WINDOW_MS) this.#minutes.delete(minuteMs);
      else {
        started += count.started;
        all += count.started + count.missed;
      }
    }
    return all < SAMPLES_MIN ? null : started / all;
  }

  /** The minutes whose counts changed since the last call, with their full counts. */
  takeChanged(): LockMinute[] {
    const changed = [...this.#changed].map((minuteMs) => ({ minuteMs, ...this.#at(minuteMs) }));
    this.#changed.clear();
    return changed;
  }

  #at(atMs: number): Count {
    const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    let count = this.#minutes.get(minuteMs);
    if (!count) {
      count = { started: 0, missed: 0 };
      this.#minutes.set(minuteMs, count);
    }
    this.#changed.add(minuteMs);
    return count;
  }
}
