/**
 * Markets are played in another thread, one after the other, so that no order waits for it. Each question has a thread of
 * its own, which ends with the answer: they are rare.
 */
import { Worker } from 'node:worker_threads';
import { Fault } from '#base/fault.ts';
import type { WhatIf, WhatIfAnswer } from './played-market.ts';

/** This many questions may be open. */
const OPEN_MAX = 4;
const RETRY_AFTER_S = 2;
const HEAP_MIB = { maxOldGenerationSizeMb: 256 };

/** Answers questions in their order. */
export class WhatIfThread {
  #open = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Throws Fault rate_limit_error when too many wait, and what went wrong in the thread. */
  async play(question: WhatIf): Promise<WhatIfAnswer | null> {
    if (this.#open >= OPEN_MAX) throw new Fault('rate_limit_error', { retryAfterS: RETRY_AFTER_S });
    this.#open++;
    const answer = this.#last.then(() => answered(question));
    this.#last = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.#open--;
    }
  }
}

function answered(question: WhatIf): Promise<WhatIfAnswer | null> {
  const file = new URL('./what-if-worker.ts', import.meta.url);
  const worker = new Worker(file, { workerData: question, execArgv: [], resourceLimits: HEAP_MIB });
  // A gateway that stops does not wait for it.
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', () => reject(new Fault('unavailable')));
  });
}
