/** Checkpoints of a journal's SQLite file, in a thread of their own: within a commit one takes some ten milliseconds. */
import { Worker } from 'node:worker_threads';

/** At most some 2,000 pages, which is what a checkpoint within a commit is left with. */
const UNITS_BETWEEN = 128;

/** The thread starts with the first checkpoint, so that a gateway without orders has none. */
export class Checkpoints {
  readonly #filename: string;
  #worker: Worker | null = null;
  #units = 0;
  #isBusy = false;

  constructor(filename: string) {
    this.#filename = filename;
  }

  /** Call it after each commit. */
  committed(units: number): void {
    this.#units += units;
    if (this.#isBusy || this.#units < UNITS_BETWEEN) return;
    this.#units = 0;
    this.#isBusy = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  /** Resolves once the thread has closed its connection. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close');
    await ended;
  }

  /** A thread that fails is replaced: without it, commits make their own checkpoints. */
  #start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };
    const options = { workerData: this.#filename, execArgv: [], resourceLimits };
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), options);
    worker.on('message', () => {
      this.#isBusy = false;
    });
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = null;
      this.#isBusy = false;
    });
    return worker;
  }
}
