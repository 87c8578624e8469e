/** Positions that the owner of a market was asked for, which may never answer. */
import type { Clock } from '#base/clock.ts';

/** How long positions are waited for. */
const POSITIONS_MS = 2_000;

type Places = readonly (number | null)[];

/** The questions that are open. */
export class PositionQuestions {
  readonly #clock: Clock;
  readonly #open = new Map<number, (places: Places) => void>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Asks by `ask`, with the number of the question, for the places of `count` orders. All null when `ask` returns false,
   * or no answer comes within two seconds.
   */
  ask(count: number, ask: (id: number) => boolean): Promise<(number | null)[]> {
    const { promise, resolve } = Promise.withResolvers<(number | null)[]>();
    const id = ++this.#last;
    const answer = (places: Places) => {
      timer.cancel();
      this.#open.delete(id);
      resolve(Array.from({ length: count }, (_, index) => places[index] ?? null));
    };
    const timer = this.#clock.after(POSITIONS_MS, () => answer([]));
    this.#open.set(id, answer);
    if (!ask(id)) answer([]);
    return promise;
  }

  /** An answer; one that comes too late changes nothing. */
  answered(id: number, places: Places): void {
    this.#open.get(id)?.(places);
  }

  /** Answers all with null. */
  close(): void {
    for (const answer of [...this.#open.values()]) answer([]);
  }
}
