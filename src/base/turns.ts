/**
 * Work in turns: so much of it at once, and the rest in the order in which it came. For work that arrives by the thousand
 * and shares something, such as the journal, with work that must not wait behind all of it.
 */

/** A bound on how much runs at once. What waits is bounded by whoever asks. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` when its turn has come, which may be now, and ends as it does. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A turn is handed on, so that nobody who comes now gets it before those who wait.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
