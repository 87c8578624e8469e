/** The journal's driver for SQLite: the main thread's side of the worker, which is replaced when it dies. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Fence } from '../leases/fence.ts';
import type { Applied, JournalDriver } from './apply-units.ts';
import { type PackedApplied, packUnit, unpackApplied } from './packed-units.ts';
import type { WorkerData, WorkerRequest } from './sqlite-worker.ts';
import type { JournalUnit } from './units.ts';

/** What a transaction leaves lives no longer than it: the young generation of the main thread would be 30 MB for nothing. */
const YOUNG_MIB = 8;

export class SqliteDriver implements JournalDriver {
  readonly #filename: string;
  readonly #fence: Fence | null;
  #worker: Worker | null = null;
  #answer: ((applied: Applied) => void) | null = null;

  constructor(filename: string, fence: Fence | null = null) {
    this.#filename = filename;
    this.#fence = fence;
  }

  apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve) => {
      this.#answer = resolve;
      worker.postMessage([again, units.map(packUnit)] satisfies WorkerRequest);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.postMessage('close');
    await exit;
  }

  #start(): Worker {
    // Options of the process, such as an input type, apply only to its own main file.
    const workerData: WorkerData = { filename: this.#filename, boot: this.#fence?.lease.epoch ?? null };
    const options = { workerData, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } };
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), options);
    let cause = 'The journal thread ended.';
    worker.on('message', (message: PackedApplied | 'lost') => {
      if (message === 'lost') this.#fence?.lose();
      else this.#reply(unpackApplied(message));
    });
    worker.on('error', (error) => {
      cause = `The journal thread failed: ${String(error)}`;
    });
    worker.on('exit', () => {
      this.#worker = null;
      this.#reply({ results: [], failure: cause });
    });
    return worker;
  }

  #reply(applied: Applied): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(applied);
  }
}
