/** Tables and medians for benchmarks: Markdown, so that a table can be pasted where it is published. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** A Markdown table, its columns lined up: text to the left, figures to the right. */
export function markdownTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column === 0)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(names), rule, ...rows.map(line)].join('\n');
}

/** The middle value; of an even number the mean of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The machine's size, for the line above a table. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const disk = `${diskWriteMs().toFixed(2)} ms for 4 KiB to reach the disk`;
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${disk}, Node ${process.version}`;
}

/** The median time of a durable write where benchmarks put their databases (TMPDIR): two commits an order wait for it. */
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

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}
