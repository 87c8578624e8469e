/** The CPU time of another process, all threads together, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds that the threads which it has now have used; NaN where /proc does not say. */
export function processorTimeUs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    // Nanoseconds; `stat` counts in steps of ten milliseconds, too long for short rounds.
    const used = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
    return used.reduce((sum, ns) => sum + ns, 0) / 1_000;
  } catch {
    return Number.NaN;
  }
}
