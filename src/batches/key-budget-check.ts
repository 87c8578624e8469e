/**
 * Whether lines that are submitted now count in the budget of their batch's key. A budget may be set while a batch has
 * lines left, which may be for days: so the key is looked up again, at most once a second. Once lines count, all later
 * ones do: that a budget was removed is known where holds are made. docs/decisions/0041-budgets-of-keys.md.
 */
import type { Clock } from '#base/clock.ts';
import type { BatchStore } from './batch.ts';
import type { NewBatch } from './units.ts';

/** As for everything about keys. */
const KNOWN_MS = 1_000;

/** The check of one batch. */
export class KeyBudgetCheck {
  readonly #store: Pick<BatchStore, 'keyHasBudget'>;
  readonly #clock: Clock;
  readonly #keyId: string | null;
  #counts: boolean;
  #asked: { readonly atMs: number; readonly answer: Promise<boolean> } | null = null;

  constructor(batch: Pick<NewBatch, 'keyId' | 'keyBudgeted'>, store: Pick<BatchStore, 'keyHasBudget'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#keyId = batch.keyId;
    this.#counts = batch.keyBudgeted;
  }

  /** Rejects when the database does; the next call asks again. */
  async counts(): Promise<boolean> {
    if (this.#counts || this.#keyId === null) return this.#counts;
    const nowMs = this.#clock.monotonicMs();
    if (this.#asked === null || nowMs >= this.#asked.atMs + KNOWN_MS)
      this.#asked = { atMs: nowMs, answer: this.#store.keyHasBudget(this.#keyId) };
    const { answer } = this.#asked;
    try {
      if (await answer) this.#counts = true;
    } catch (error) {
      if (this.#asked?.answer === answer) this.#asked = null;
      throw error;
    }
    return this.#counts;
  }
}
