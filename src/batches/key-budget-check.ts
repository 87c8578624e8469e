/**
 * Whether lines that are submitted now count in the budget of their batch's key. A budget may be set while a batch has
 * lines left, which may be for days: so the key is looked up again, at most once a second. Once lines count, all later
 * ones do: that a budget was removed is known where holds are made. docs/decisions/0041-budgets-of-keys.md.
 */
import type { Clock } from '#base/clock.ts';
import type { BatchStore } from './batch.ts';
import type { NewBatch } from './units.ts';

/** The same delay as for every change of a key. */
const KNOWN_MS = 1_000;

/** The check of one batch. It rejects when the database does; the next call asks again. */
export function keyBudgetCheck(
  { keyId, keyBudgeted }: Pick<NewBatch, 'keyId' | 'keyBudgeted'>,
  store: Pick<BatchStore, 'keyHasBudget'>,
  clock: Clock,
): () => Promise<boolean> {
  let counts = keyBudgeted;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(false);
  return async () => {
    if (counts || keyId === null) return counts;
    if (clock.monotonicMs() >= askedAtMs + KNOWN_MS) {
      askedAtMs = clock.monotonicMs();
      asked = store.keyHasBudget(keyId);
      asked.catch(() => {
        askedAtMs = Number.NEGATIVE_INFINITY;
      });
    }
    counts ||= await asked;
    return counts;
  };
}
