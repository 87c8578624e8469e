/**
 * A budget that accounts, or addresses, share without a fixed share for each: an account may use as much as it leaves
 * free. One alone gets half; fifty greedy ones get a fifty-first each, and the same is left for the next. Everything
 * finite that callers can use up is shared like this: docs/sell/fair-shares.md, decision 34.
 */
import { Fault } from './fault.ts';

/** What a refused caller reads: the sentence, and after how many seconds to try again, where that is known. */
export interface Refusal {
  readonly message: string;
  readonly retryAfterS?: number;
}

/** How much each account uses, and how much more it may. */
export class FairShare {
  readonly #max: () => number;
  readonly #each: () => number;
  readonly #used = new Map<string, number>();
  #total = 0;

  /** `max`, of all together, and `each`, of one account at most, are called for each decision. */
  constructor(max: number | (() => number), each: number | (() => number) = Number.POSITIVE_INFINITY) {
    this.#max = typeof max === 'number' ? () => max : max;
    this.#each = typeof each === 'number' ? () => each : each;
  }

  get max(): number {
    return this.#max();
  }

  /** What all accounts use together. */
  get total(): number {
    return this.#total;
  }

  /** The accounts that use any. */
  get accounts(): Iterable<string> {
    return this.#used.keys();
  }

  /** What the account uses. */
  of(account: string): number {
    return this.#used.get(account) ?? 0;
  }

  /**
   * How much more the account may use now; below 0 when it uses more than it leaves free. `besides` is what the account uses that is
   * not counted here, and not free in `max` either.
   */
  roomFor(account: string, besides = 0): number {
    const used = this.of(account) + besides;
    return Math.min((this.max - this.#total - used) / 2, this.#each() - used);
  }

  /** Counts, whether there is room or not; a negative amount gives back. */
  add(account: string, amount: number): void {
    this.#total += amount;
    const used = this.of(account) + amount;
    if (used === 0) this.#used.delete(account);
    else this.#used.set(account, used);
  }

  /** Throws rate_limit_error when there is no room for one more. */
  require(account: string, refusal: Refusal): void {
    if (this.roomFor(account) < 1) throw new Fault('rate_limit_error', refusal);
  }

  /** Takes one, and returns the function that gives it back; further calls have no effect. Throws as `require`. */
  take(account: string, refusal: Refusal): () => void {
    this.require(account, refusal);
    this.add(account, 1);
    let held = true;
    return () => {
      if (held) this.add(account, -1);
      held = false;
    };
  }

  /** The same pieces; from the first that is read until the end of the reading they count as one. Throws as `require`. */
  async *during<Piece>(account: string, pieces: AsyncIterable<Piece>, refusal: Refusal): AsyncGenerator<Piece> {
    const giveBack = this.take(account, refusal);
    try {
      yield* pieces;
    } finally {
      giveBack();
    }
  }
}
