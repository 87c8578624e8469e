/**
 * A clock that never goes back. The machine's clock may, and then an order would end before it began: the audit would
 * say so forever.
 */
import type { Clock } from './clock.ts';

/** How much slower than the machine's clock it goes while it is ahead of it: an hour is made up in ten. */
const SLOWER = 0.1;
/** How far another machine's time may move a clock. A difference above this is no delay but a wrong clock. */
const MOVED_MS_MAX = 1_000;

/** A clock without steps back. */
export interface SteadyClock extends Clock {
  /**
   * Something happened elsewhere at `atMs`, and what follows it must not be earlier: the clock moves up to it, unless
   * that is more than a second ahead.
   */
  follow(atMs: number): void;
}

/**
 * `clock` without steps back: at such a step, and while `clock` is before `notBeforeMs`, time goes on from where it was
 * and a tenth slower than `clock` until both agree. Steps forward are followed. Timers are those of `clock`.
 */
export function steadyClock(clock: Clock, notBeforeMs: number): SteadyClock {
  let wallMs = clock.nowMs();
  let aheadMs = Math.max(0, notBeforeMs - wallMs);
  let lastMs = Math.floor(wallMs + aheadMs);
  function nowMs(): number {
    const readMs = clock.nowMs();
    aheadMs = Math.max(0, aheadMs + (readMs < wallMs ? wallMs - readMs : (wallMs - readMs) * SLOWER));
    wallMs = readMs;
    lastMs = Math.max(lastMs, Math.floor(wallMs + aheadMs));
    return lastMs;
  }
  return {
    nowMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    follow(atMs) {
      const behindMs = atMs - nowMs();
      if (behindMs > 0 && behindMs <= MOVED_MS_MAX) aheadMs += behindMs;
    },
  };
}

/** A clock that is set by another one. */
interface SetClock extends Clock {
  /** `clock` was so much ahead of the other one, read in a round trip of this length: only more than that is corrected. */
  set(aheadMs: number, roundTripMs: number): void;
}

/** `clock`, corrected by what `set` is told. It steps; make it steady. */
export function setClock(clock: Clock): SetClock {
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() - aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    set(measuredMs, roundTripMs) {
      // The other clock was read at any time of the round trip.
      if (Math.abs(measuredMs - aheadMs) > roundTripMs / 2) aheadMs = measuredMs;
    },
  };
}
