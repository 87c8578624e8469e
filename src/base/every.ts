/** Periodic work. */
import type { Clock, Timer } from './clock.ts';

/** Calls `run` at each multiple of `intervalMs` since the epoch, until canceled. Calls never overlap. */
export function every(clock: Clock, intervalMs: number, run: () => void): Timer {
  let timer = next();
  function next(): Timer {
    return clock.after(intervalMs - (clock.nowMs() % intervalMs), () => {
      timer = next();
      run();
    });
  }
  return { cancel: () => timer.cancel() };
}
