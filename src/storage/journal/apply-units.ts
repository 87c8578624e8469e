/**
 * Applies units in one transaction. When one unit is faulty, the transaction is rolled back and its units are applied
 * one by one, so that the others never suffer for it; when the database fails, the caller retries later.
 */
import type { Dialect } from '../database/dialects/dialect.ts';
import { type Fence, LeaseLost } from '../leases/fence.ts';
import { BalanceBatch } from './balance-batch.ts';
import { BatchCountChanges } from './batch-counts.ts';
import { ModelTokens } from './model-tokens.ts';
import { OrderDays } from './order-days.ts';
import { run, type Steps } from './steps.ts';
import { accountOf, type JournalOutcome, type JournalUnit, stepsOf } from './units.ts';

/** How one unit ended: with its outcome, or with the error that no retry can fix. Plain data. */
export type UnitResult = { readonly outcome: JournalOutcome } | { readonly error: string };

/** Results of the first units. `failure` is why the others must be retried; null when there are no others. */
export interface Applied {
  readonly results: readonly UnitResult[];
  readonly failure: string | null;
}

/** The journal's connection to its database: applies units, one transaction at a time. */
export interface JournalDriver {
  /** Never rejects: a failure of the database is in `failure`. `again`: some units may have committed before. */
  apply(units: readonly JournalUnit[], again: boolean): Promise<Applied>;
  /** Closes the connection, after the transaction under way. */
  close(): Promise<void>;
}

/** Applies units in their order. `again`: some may have committed before. `fence`: what each transaction passes first. */
export function* applyUnits(
  dialect: Dialect,
  units: readonly JournalUnit[],
  again: boolean,
  fence: Fence | null = null,
): Steps<Applied> {
  try {
    const outcomes = yield* inTransaction(dialect, units, again, fence);
    return { results: outcomes.map((outcome) => ({ outcome })), failure: null };
  } catch (error) {
    yield* undo();
    if (isNoUnitsFault(dialect, error)) return { results: [], failure: sentence(error) };
  }
  return yield* applySingly(dialect, units, fence);
}

function* applySingly(dialect: Dialect, units: readonly JournalUnit[], fence: Fence | null): Steps<Applied> {
  const results: UnitResult[] = [];
  for (const unit of units) {
    try {
      for (const outcome of yield* inTransaction(dialect, [unit], true, fence)) results.push({ outcome });
    } catch (error) {
      yield* undo();
      if (isNoUnitsFault(dialect, error)) return { results, failure: sentence(error) };
      results.push({ error: sentence(error) });
    }
  }
  return { results, failure: null };
}

function* inTransaction(
  dialect: Dialect,
  units: readonly JournalUnit[],
  again: boolean,
  fence: Fence | null,
): Steps<JournalOutcome[]> {
  const balances = new BalanceBatch(dialect.forUpdate);
  const orderDays = new OrderDays();
  const modelTokens = new ModelTokens();
  const batchCounts = new BatchCountChanges();
  const context = { balances, orderDays, batchCounts, modelTokens, again };
  const outcomes: JournalOutcome[] = [];
  yield run(dialect.begin);
  if (fence) fence.check((yield fence.read).rows);
  yield* balances.open(units.map(accountOf).filter((id) => id !== null));
  for (const unit of units) outcomes.push(yield* stepsOf(unit, context));
  yield* balances.close();
  yield* orderDays.write();
  yield* batchCounts.write();
  yield* modelTokens.write();
  yield run('COMMIT');
  return outcomes;
}

/** Whether the units may be applied later. A lost lease never comes back, but then the process is about to end. */
function isNoUnitsFault(dialect: Dialect, error: unknown): boolean {
  return error instanceof LeaseLost || dialect.isTransient(error);
}

/** Fails when the database has rolled back already, or is gone: in both cases nothing is left to undo. */
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
