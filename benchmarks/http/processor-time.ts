/** The processor time that another process has used, all its threads together; from Linux's /proc. */
import { readFileSync } from 'node:fs';

const TICKS_PER_S = 100;

/** Microseconds since the process began; null where /proc does not tell. */
export function processorTimeUs(pid: number): number | null {
  try {
    // The name of the process may hold spaces; what follows its bracket never does.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_S) * 1e6;
  } catch {
    return null;
  }
}
