/** The journal's driver for SQLite: the main thread's side of the worker, which is replaced when it dies. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Applied, JournalDriver } from './apply-units.ts';
import { type PackedApplied, packUnit, unpackApplied } from './packed-units.ts';
import type { WorkerRequest } from './sqlite-worker.ts';
import type { JournalUnit } from './units.ts';

export class SqliteDriver implements JournalDriver {
  readonly #filename: string;
  #worker: Worker | null = null;
  #answer: ((applied: Applied) => void) | null = null;

  constructor(filename: string) {
    this.#filename = filename;
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
    const options = { workerData: this.#filename, execArgv: [] };
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), options);
    let cause = 'The journal thread ended.';
    worker.on('message', (applied: PackedApplied) => this.#reply(unpackApplied(applied)));
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
