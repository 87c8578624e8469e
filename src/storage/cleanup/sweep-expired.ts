/**
 * Deletes rows that have expired, and returns how many. Each step deletes a bounded number of rows and holds the database
 * only for a moment. Safe beside a gateway.
 */
import type { Knex } from 'knex';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import type { Database } from '../database/database.ts';
import { WRITTEN, writing } from '../database/transaction.ts';

/** How long the row of a file outlives the expiry of its content: until then it is answered with 410. */
const FILE_ROWS_KEPT_MS = RETENTION_DAYS_MAX * DAY_MS;
/** How long the row of a transaction is kept that has committed: far longer than one is tried. */
const WRITTEN_KEPT_MS = 10 * MINUTE_MS;
const STEP_ROWS = 500;

/** Deletes rows of files that expired a month ago and whose content is gone. */
export function sweepFileRows(db: Database, nowMs: number): Promise<number> {
  return sweepDue(db, ['files', 'id'], (files) => expired(files, nowMs - FILE_ROWS_KEPT_MS).where({ content_gone: 1 }));
}

/** Deletes logged requests. */
export function sweepRequestLogs(db: Database, nowMs: number): Promise<number> {
  return sweepDue(db, ['request_logs', 'order_id'], (logs) => expired(logs, nowMs));
}

/** Deletes Idempotency-Keys. */
export function sweepKeys(db: Database, nowMs: number): Promise<number> {
  return sweepDue(db, ['idempotency_keys', 'order_id'], (keys) => expired(keys, nowMs));
}

/** Deletes what `writing` leaves of each transaction. */
export function sweepOperations(db: Database, nowMs: number): Promise<number> {
  return sweepDue(db, ['counters', 'name'], (counters) =>
    counters.where('name', 'like', `${WRITTEN}%`).where('value', '<=', nowMs - WRITTEN_KEPT_MS),
  );
}

function expired(rows: Knex.QueryBuilder, byMs: number): Knex.QueryBuilder {
  return rows.where('expires_at_ms', '<=', byMs);
}

async function sweepDue(
  db: Database,
  [table, id]: readonly [table: string, id: string],
  due: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<number> {
  for (let swept = 0; ; ) {
    const ids: string[] = await due(db.knex(table)).limit(STEP_ROWS).pluck(id);
    if (ids.length === 0) return swept;
    // A settlement may have extended one of them since.
    swept += await writing(db, (trx) => due(trx(table).whereIn(id, ids)).delete());
  }
}
