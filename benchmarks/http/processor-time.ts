/** The CPU time of another process, all threads together, from Linux's /proc. */
import { readFileSync } from 'node:fs';

const TICKS_PER_S = 100;

/** Microseconds since the process started; NaN where /proc is not available. */
export function processorTimeUs(pid: number): number {
  try {
    // The process name may contain spaces; the fields after its closing bracket do not.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_S) * 1e6;
  } catch {
    return Number.NaN;
  }
}
