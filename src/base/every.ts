/** Work that is done again and again. */
import type { Clock, Timer } from './clock.ts';

/** Calls `run` at each multiple of `intervalMs` since the epoch, until it is canceled; never two calls at once. */
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
