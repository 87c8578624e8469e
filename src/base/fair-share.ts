/**
 * A budget that accounts share without a fixed share for each: an account may use as much as it leaves free. One alone
 * gets half; fifty greedy ones get a fifty-first each, and the same is left for the next. Decision 34.
 */

/** How much each account uses, and how much more it may. */
export class FairShare {
  readonly #max: () => number;
  readonly #used = new Map<string, number>();
  #total = 0;

  /** `max` is called for each decision. */
  constructor(max: number | (() => number)) {
    this.#max = typeof max === 'number' ? () => max : max;
  }

  get max(): number {
    return this.#max();
  }

  /** What all accounts use together. */
  get total(): number {
    return this.#total;
  }

  /** Those that use any. */
  get accounts(): Iterable<string> {
    return this.#used.keys();
  }

  /** What the account uses. */
  of(account: string): number {
    return this.#used.get(account) ?? 0;
  }

  /** How much more the account may use now; below 0 when it uses more than it leaves free. */
  roomFor(account: string): number {
    return (this.max - this.#total - this.of(account)) / 2;
  }

  /** Counts, whether there is room or not; a negative amount gives back. */
  add(account: string, amount: number): void {
    this.#total += amount;
    const used = this.of(account) + amount;
    if (used === 0) this.#used.delete(account);
    else this.#used.set(account, used);
  }
}
