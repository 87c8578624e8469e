/**
 * A clock that never goes back. The machine's clock may, and then an order would end before it began: the audit would
 * say so forever.
 */
import type { Clock } from './clock.ts';

/** How much slower than the machine's clock it goes while it is ahead of it: an hour is made up in ten. */
const SLOWER = 0.1;

/**
 * `clock` without steps back: at such a step, and while `clock` is before `notBeforeMs`, time goes on from where it was
 * and a tenth slower than `clock` until both agree. Steps forward are followed. Timers are those of `clock`.
 */
export function steadyClock(clock: Clock, notBeforeMs: number): Clock {
  let wallMs = clock.nowMs();
  let aheadMs = Math.max(0, notBeforeMs - wallMs);
  let lastMs = Math.floor(wallMs + aheadMs);
  return {
    nowMs() {
      const nowMs = clock.nowMs();
      aheadMs = Math.max(0, aheadMs + (nowMs < wallMs ? wallMs - nowMs : (wallMs - nowMs) * SLOWER));
      wallMs = nowMs;
      lastMs = Math.max(lastMs, Math.floor(wallMs + aheadMs));
      return lastMs;
    },
    after: (delayMs, run) => clock.after(delayMs, run),
  };
}
