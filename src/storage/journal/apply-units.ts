/**
 * Applies units in one transaction. When one unit is faulty, the transaction is rolled back and its units are applied
 * one by one, so that the others never suffer for it; when the database fails, the caller retries later.
 */
import type { Dialect } from '../database/dialects/dialect.ts';
import { type Fence, LeaseLost } from '../leases/fence.ts';
import type { KnownAccounts } from './known-accounts.ts';
import type { MarketEpochs } from './market-epochs.ts';
import { COMMIT, command, type Operation, shape } from './operations.ts';
import { type Opening, Picture } from './picture.ts';
import { DriverError, type Rounds } from './rounds.ts';
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

/**
 * The state that transactions of one journal share. `fence`: what each passes first. `known`: what the last ones left;
 * null on SQLite.
 */
export interface JournalScope {
  readonly fence: Fence | null;
  readonly known: KnownAccounts | null;
  readonly nowMs: number;
}

/** Applies units in their order. `again`: some may have committed before. Without `scope` every row is read on MySQL. */
export function applyUnits(
  dialect: Dialect,
  units: readonly JournalUnit[],
  again: boolean,
  scope: JournalScope | null = null,
): Rounds<Applied> {
  // With row locks, what is decided upon is read, unless it is known. SQLite locks everything: there it is enough that the
  // write itself checks what is likely.
  const knows = dialect.forUpdate === '' || (scope?.known?.mayRely(scope.nowMs) ?? false);
  return applyTogether(dialect, units, { again, sure: again || !knows, scope });
}

interface Attempt {
  readonly again: boolean;
  /** Read what is expected or known, too. */
  readonly sure: boolean;
  readonly scope: JournalScope | null;
}

function* applyTogether(dialect: Dialect, units: readonly JournalUnit[], attempt: Attempt): Rounds<Applied> {
  const { again, sure, scope } = attempt;
  try {
    const outcomes = yield* inTransaction(dialect, units, attempt);
    return { results: outcomes.map((outcome) => ({ outcome })), failure: null };
  } catch (error) {
    scope?.known?.forget();
    const isUndone = yield* undo(dialect);
    if (!isUndone || !isUnitsFault(dialect, error)) return { results: [], failure: sentence(error) };
    if (units.length === 1 && again) return { results: [{ error: sentence(error) }], failure: null };
  }
  // A wrong expectation may be the reason for any failure: no unit is to blame before its rows were read.
  if (!sure) {
    scope?.known?.pause();
    return yield* applyTogether(dialect, units, { ...attempt, sure: true });
  }
  const results: UnitResult[] = [];
  for (const unit of units) {
    const one = yield* applyTogether(dialect, [unit], { again: true, sure: true, scope });
    results.push(...one.results);
    if (one.failure !== null) return { results, failure: one.failure };
  }
  return { results, failure: null };
}

/** Read, decide, write: docs/decisions/0036-read-decide-write.md. Or decide, check and write, when nothing must be read. */
function* inTransaction(
  dialect: Dialect,
  units: readonly JournalUnit[],
  { again, sure, scope }: Attempt,
): Rounds<JournalOutcome[]> {
  const picture = new Picture({ sure });
  const context = { picture, again };
  for (const unit of units) {
    const accountId = accountOf(unit);
    if (accountId !== null) picture.balances.want(accountId);
    kindOf(unit).want?.(unit, context);
  }
  const fence = scope?.fence ?? null;
  const relies = !sure && !!scope?.known && picture.rely(scope.known);
  yield* picture.read(relies ? [] : openings(dialect, fence, picture.epochs));
  for (const unit of units) kindOf(unit).wantMore?.(unit, context);
  yield* picture.read();
  const outcomes = units.map((unit) => kindOf(unit).apply(unit, context));
  const first = relies ? [command(dialect.begin), ...leaseChecks(fence, picture.epochs)] : [];
  yield [...first, ...picture.writes(), COMMIT];
  scope?.known?.keep(picture.balances.left(), relies, scope.nowMs);
  return outcomes;
}

const CHECK_LEASES = shape({ act: 'check', table: 'leases', key: ['name', 'epoch'] });

/** Fails unless the lease is still held, and every market still has the owner that its units name. */
function leaseChecks(fence: Fence | null, epochs: MarketEpochs): Operation[] {
  if (!fence) return [];
  const { name, epoch } = fence.lease;
  const rows = [[name, epoch], ...[...epochs.named].map((lease) => [...lease])];
  return [...counting(fence), { shape: CHECK_LEASES, rows }];
}

function counting({ count }: Fence): Operation[] {
  return count ? [command(count.sql, count.params)] : [];
}

/** The statements that begin the first round of a transaction, and the receivers of what they read. */
function openings(dialect: Dialect, fence: Fence | null, epochs: MarketEpochs): Opening[] {
  const begin = { operation: command(dialect.begin), check() {} };
  if (!fence) return [begin];
  const markets = [...epochs.named.keys()];
  const { sql, params } = markets.length === 0 ? fence.read : fence.readWith(markets);
  return [
    begin,
    ...counting(fence).map((operation) => ({ operation, check() {} })),
    {
      operation: command(sql, params),
      check(rows) {
        fence.check(rows);
        epochs.take(rows);
      },
    },
  ];
}

/**
 * Whether a unit can never be applied: the database refuses its values, or it threw itself. After every other error it is
 * tried again, however often: a settlement that is dropped is output that nobody is charged for. A lost lease never comes
 * back, but then the process is about to end.
 */
function isUnitsFault(dialect: Dialect, error: unknown): boolean {
  if (error instanceof DriverError) return dialect.isDataError(error.cause);
  return !(error instanceof LeaseLost);
}

/**
 * False when the transaction may still be open: on MySQL the next one would commit what it has written so far, so this
 * session must begin none. SQLite only refuses when it has rolled back already.
 */
function* undo(dialect: Dialect): Rounds<boolean> {
  try {
    yield [command('ROLLBACK')];
    return true;
  } catch {
    return dialect.forUpdate === '';
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
