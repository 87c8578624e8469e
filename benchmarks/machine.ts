/** What benchmarks print besides tables: medians, and the machine they ran on. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** The median; of an even number, the mean of the middle two. NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The size of the machine, for the line above a table. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const disk = `${diskWriteMs().toFixed(2)} ms for 4 KiB to reach the disk`;
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${disk}, Node ${process.version}`;
}

/** The median time of a durable write in TMPDIR, where benchmarks keep databases: an order waits for two commits. */
function diskWriteMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-disk-'));
  const file = openSync(join(folder, 'page'), 'w');
  const page = Buffer.alloc(4096);
  const times: number[] = [];
  for (let write = 0; write < 50; write++) {
    const beginMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - beginMs);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return median(times);
}
