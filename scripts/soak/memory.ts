/**
 * Whether memory grew during a soak. Two figures are compared between windows of the run, because both jitter: the heap
 * left after a full collection, and the memory of the process, which includes the caches of the database and so rises
 * until they are full.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '#testing/gateway-process.ts';

/** Memory of the gateway at one moment. */
export interface MemorySample {
  /** The heap left after a full collection, with its buffers. */
  readonly heapBytes: number;
  readonly residentBytes: number;
}

const MEBI = 2 ** 20;
/** The run is divided into this many windows; the first is the warm-up. */
const WINDOWS = 5;
const SAMPLES_MIN = 10;
/** By how much the last window may exceed an earlier one: a share of it, plus some bytes. */
const HEAP_SLACK = { share: 0.1, bytes: 8 * MEBI };
const RESIDENT_SLACK = { share: 0.1, bytes: 48 * MEBI };

/** Lets the gateways of a site report their memory; returns the file in which they do. */
export function reportsMemory({ folder, environment }: Pick<Site, 'folder' | 'environment'>): string {
  const file = join(folder, 'memory.json');
  environment.SLUICE_SOAK_MEMORY = file;
  environment.NODE_OPTIONS = `--import ${join(import.meta.dirname, 'report-memory.ts')}`;
  return file;
}

/** The newest sample; null before there is one. */
export function readSample(memoryFile: string, pid: number): MemorySample | null {
  try {
    const { heapBytes } = JSON.parse(readFileSync(memoryFile, 'utf8'));
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { heapBytes: Number(heapBytes), residentBytes: Number(resident) * 1024 };
  } catch {
    // The file is being written, or does not exist yet.
    return null;
  }
}

/** The live heap of the last window, in multiples of that after the warm-up; NaN when there are too few samples to say. */
export function heapRatioOf(samples: readonly MemorySample[]): number {
  if (samples.length < SAMPLES_MIN) return Number.NaN;
  const heap = windowsOf(samples, ({ heapBytes }) => heapBytes);
  return (heap.at(-1) ?? 0) / (heap[1] ?? 0);
}

/** Sentences about memory that grew; empty when it is flat, or when there are too few samples to say. */
export function growthOf(samples: readonly MemorySample[]): string[] {
  if (samples.length < SAMPLES_MIN) return [];
  const heap = windowsOf(samples, ({ heapBytes }) => heapBytes);
  const resident = windowsOf(samples, ({ residentBytes }) => residentBytes);
  return [
    // Compares the heap with the window after the warm-up, the process with a window in which its caches are full.
    ...grown('the live heap', { from: heap[1], to: heap.at(-1), slack: HEAP_SLACK }),
    ...grown('the resident memory', { from: resident.at(-3), to: resident.at(-1), slack: RESIDENT_SLACK }),
  ];
}

/** The median of each window. */
function windowsOf(samples: readonly MemorySample[], bytes: (sample: MemorySample) => number): number[] {
  const begin = (window: number) => Math.floor((window * samples.length) / WINDOWS);
  return Array.from({ length: WINDOWS }, (_, window) =>
    median(samples.slice(begin(window), begin(window + 1)).map(bytes)),
  );
}

function grown(
  what: string,
  { from = 0, to = 0, slack }: { from: number | undefined; to: number | undefined; slack: typeof HEAP_SLACK },
): string[] {
  if (to <= from * (1 + slack.share) + slack.bytes) return [];
  return [`${what} grew from ${Math.round(from / MEBI)} to ${Math.round(to / MEBI)} MiB`];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
