/** Work that is repeated from time to time. */
import type { Clock, Timer } from './clock.ts';
import { every } from './every.ts';

/** Begins a round of work at each multiple of `intervalMs` since the epoch, unless the one before still runs. */
export class RepeatedWork {
  readonly #timer: Timer;
  readonly #work: () => Promise<void>;
  #running: Promise<void> | null = null;

  /** `work` must not reject. */
  constructor(clock: Clock, intervalMs: number, work: () => Promise<void>) {
    this.#work = work;
    this.#timer = every(clock, intervalMs, () => void this.run());
  }

  /** Whether a round runs. */
  get busy(): boolean {
    return this.#running !== null;
  }

  /** Begins a round, unless one runs, and resolves with its end. */
  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** No further round begins. Resolves when none runs. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#running;
  }
}
