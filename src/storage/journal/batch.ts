/**
 * A batch of units as one transaction. When a unit is at fault the batch is undone and its units are applied one by one,
 * so that the others never suffer for it; when the database is, nothing more is tried and the caller comes back later.
 */
import type { JournalUnit } from '#orders/journal-port.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { BatchCounts } from './batch-counts.ts';
import { ModelTokens } from './model-tokens.ts';
import { OrderDays } from './order-days.ts';
import { run, type Steps } from './steps.ts';
import { Till } from './till.ts';
import { accountOf, type JournalOutcome, stepsOf } from './units.ts';

/** How one unit ended: with its outcome, or with the error that it can never be rid of. Plain data. */
export type UnitResult = { readonly outcome: JournalOutcome } | { readonly error: string };

/** Results of the first units of a batch. `failure` says why the others are to be tried again; null when there are none. */
export interface Applied {
  readonly results: readonly UnitResult[];
  readonly failure: string | null;
}

/** Applies units in their order. `again`: some of them may have committed before. */
export function* applyBatch(dialect: Dialect, units: readonly JournalUnit[], again: boolean): Steps<Applied> {
  try {
    const outcomes = yield* inTransaction(dialect, units, again);
    return { results: outcomes.map((outcome) => ({ outcome })), failure: null };
  } catch (error) {
    yield* undo();
    if (dialect.isTransient(error)) return { results: [], failure: sentence(error) };
  }
  return yield* applySingly(dialect, units);
}

function* applySingly(dialect: Dialect, units: readonly JournalUnit[]): Steps<Applied> {
  const results: UnitResult[] = [];
  for (const unit of units) {
    try {
      for (const outcome of yield* inTransaction(dialect, [unit], true)) results.push({ outcome });
    } catch (error) {
      yield* undo();
      if (dialect.isTransient(error)) return { results, failure: sentence(error) };
      results.push({ error: sentence(error) });
    }
  }
  return { results, failure: null };
}

function* inTransaction(dialect: Dialect, units: readonly JournalUnit[], again: boolean): Steps<JournalOutcome[]> {
  const till = new Till(dialect.forUpdate);
  const orderDays = new OrderDays();
  const modelTokens = new ModelTokens();
  const batchCounts = new BatchCounts();
  const context = { till, orderDays, batchCounts, modelTokens, again };
  const outcomes: JournalOutcome[] = [];
  yield run(dialect.begin);
  yield* till.open(units.map(accountOf).filter((id) => id !== null));
  for (const unit of units) outcomes.push(yield* stepsOf(unit, context));
  yield* till.close();
  yield* orderDays.write();
  yield* batchCounts.write();
  yield* modelTokens.write();
  yield run('COMMIT');
  return outcomes;
}

/** Fails when the database has undone the transaction already, or is gone: both leave nothing to undo. */
function* undo(): Steps<void> {
  try {
    yield run('ROLLBACK');
  } catch {
    // See above.
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
