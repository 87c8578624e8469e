/**
 * Applies units in one transaction. When one unit is faulty, the transaction is rolled back and its units are applied
 * one by one, so that the others never suffer for it; when the database fails, the caller retries later.
 */
import type { Dialect } from '../database/dialects/dialect.ts';
import { type Fence, LeaseLost } from '../leases/fence.ts';
import type { MarketEpochs } from './market-epochs.ts';
import { command } from './operations.ts';
import { type Opening, Picture } from './picture.ts';
import type { Rounds } from './rounds.ts';
import { accountOf, type JournalOutcome, type JournalUnit, kindOf } from './units.ts';

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
export function applyUnits(
  dialect: Dialect,
  units: readonly JournalUnit[],
  again: boolean,
  fence: Fence | null = null,
): Rounds<Applied> {
  // With row locks, what is decided upon is read. SQLite locks everything: there the write itself checks what is likely.
  return applyTogether(dialect, units, { again, sure: again || dialect.forUpdate !== '', fence });
}

interface Terms {
  readonly again: boolean;
  /** Read what units expect, too. */
  readonly sure: boolean;
  readonly fence: Fence | null;
}

function* applyTogether(dialect: Dialect, units: readonly JournalUnit[], terms: Terms): Rounds<Applied> {
  try {
    const outcomes = yield* inTransaction(dialect, units, terms);
    return { results: outcomes.map((outcome) => ({ outcome })), failure: null };
  } catch (error) {
    yield* undo();
    if (isNoUnitsFault(dialect, error)) return { results: [], failure: sentence(error) };
    // What was only expected may be the reason, whatever it led to: no unit is to blame before its rows were read.
    if (!terms.sure) return yield* applyTogether(dialect, units, { ...terms, sure: true });
  }
  return yield* applySingly(dialect, units, terms.fence);
}

function* applySingly(dialect: Dialect, units: readonly JournalUnit[], fence: Fence | null): Rounds<Applied> {
  const results: UnitResult[] = [];
  for (const unit of units) {
    try {
      for (const outcome of yield* inTransaction(dialect, [unit], { again: true, sure: true, fence }))
        results.push({ outcome });
    } catch (error) {
      yield* undo();
      if (isNoUnitsFault(dialect, error)) return { results, failure: sentence(error) };
      results.push({ error: sentence(error) });
    }
  }
  return { results, failure: null };
}

/** Read, decide, write: docs/decisions/0036-read-decide-write.md. */
function* inTransaction(
  dialect: Dialect,
  units: readonly JournalUnit[],
  { again, sure, fence }: Terms,
): Rounds<JournalOutcome[]> {
  const picture = new Picture({ sure });
  const context = { picture, again };
  for (const unit of units) {
    const accountId = accountOf(unit);
    if (accountId !== null) picture.balances.want(accountId);
    kindOf(unit).want?.(unit, context);
  }
  yield* picture.read(openings(dialect, fence, picture.epochs));
  for (const unit of units) kindOf(unit).wantMore?.(unit, context);
  yield* picture.read();
  const outcomes = units.map((unit) => kindOf(unit).apply(unit, context));
  yield [...picture.writes(), command('COMMIT')];
  return outcomes;
}

/** What the first round of a transaction begins with, and who gets what it reads. */
function openings(dialect: Dialect, fence: Fence | null, epochs: MarketEpochs): Opening[] {
  const begin = { operation: command(dialect.begin), check() {} };
  if (!fence) return [begin];
  const markets = epochs.leases();
  const { sql, params } = markets.length === 0 ? fence.read : fence.readWith(markets);
  return [
    begin,
    {
      operation: { shape: { act: 'plain', sql }, rows: [params] },
      check(rows) {
        fence.check(rows);
        epochs.take(rows);
      },
    },
  ];
}

/** Whether the units may be applied later. A lost lease never comes back, but then the process is about to end. */
function isNoUnitsFault(dialect: Dialect, error: unknown): boolean {
  return error instanceof LeaseLost || dialect.isTransient(error);
}

/** Fails when the database has rolled back already, or is gone: in both cases nothing is left to undo. */
function* undo(): Rounds<void> {
  try {
    yield [command('ROLLBACK')];
  } catch {
    // See above.
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
