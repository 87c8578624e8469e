/**
 * Limits how many tasks run at once; the others wait in order of arrival. For numerous tasks that share a resource,
 * such as the journal, with work that must not wait behind all of them.
 */

/** A bound on concurrency. The caller must bound the number of waiting tasks. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Runs `work` when a permit is free, possibly now, and settles with its result. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The permit goes to the next waiting task directly, so that no newcomer can overtake it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
