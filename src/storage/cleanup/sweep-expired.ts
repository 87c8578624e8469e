/**
 * Deletes rows that have expired, and returns how many. Each step deletes a bounded number of rows and holds the database
 * only for a moment. Safe beside a gateway.
 */
import type { Knex } from 'knex';
import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { LOAD_KEPT_MS, PROBE_DAYS_KEPT_MS, STATISTICS_KEPT_MS } from '#observe/ports.ts';
import type { Database } from '../database/database.ts';
import { WRITTEN, writing } from '../database/transaction.ts';
import { flag, int, type Row } from '../database/values.ts';

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

/** Deletes at which addresses somebody was asked to confirm mails more than a day ago: they may be asked again. */
export function sweepMailRequests(db: Database, nowMs: number): Promise<number> {
  return sweepDue(db, ['mail_requests', 'address'], (requests) => requests.where('at_ms', '<', nowMs - DAY_MS));
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

/**
 * How long a message is listed, and kept for an endpoint that is disabled. For an enabled endpoint a message is kept
 * until it is sent.
 */
const MESSAGES_KEPT_MS = 7 * DAY_MS;

/**
 * Deletes messages of more than seven days. Undelivered messages of an enabled endpoint stay until they are sent, or
 * the endpoint is disabled.
 */
export async function sweepWebhooks(db: Database, nowMs: number): Promise<number> {
  let afterSeq = 0;
  for (let swept = 0; ; ) {
    // The oldest come first, so matches are at the beginning.
    const oldest: Row[] = await db
      .knex('webhook_messages')
      .leftJoin('webhook_endpoints', 'webhook_endpoints.id', 'webhook_messages.endpoint_id')
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(STEP_ROWS)
      .select('seq', 'webhook_messages.created_at_ms', 'next_at_ms', 'enabled');
    const old = oldest.filter((row) => int(row.created_at_ms) < nowMs - MESSAGES_KEPT_MS);
    const over = old.filter((row) => row.next_at_ms === null || row.enabled === null || !flag(row.enabled));
    const seqs = over.map(({ seq }) => String(seq));
    if (seqs.length > 0) swept += await writing(db, (trx) => trx('webhook_messages').whereIn('seq', seqs).delete());
    if (old.length < STEP_ROWS) return swept;
    afterSeq = int(old.at(-1)?.seq ?? 0);
  }
}

/** The tables of statistics, and how long each keeps its rows. */
const STATISTICS = [
  ['model_tokens', STATISTICS_KEPT_MS],
  ['probe_buckets', STATISTICS_KEPT_MS],
  ['run_hours', STATISTICS_KEPT_MS],
  ['probe_days', PROBE_DAYS_KEPT_MS],
] as const;

/** Deletes statistics that are older than any range, a day of one model at a time. */
export async function sweepStatistics(db: Database, nowMs: number): Promise<number> {
  let swept = 0;
  for (const [table, keptMs] of STATISTICS) {
    const models: string[] = await db.knex(table).distinct().pluck('model');
    for (const model of models) {
      const oldest: Row | undefined = await db.knex(table).where({ model }).min({ ms: 'bucket_ms' }).first();
      const edgeMs = nowMs - keptMs;
      for (let belowMs = int(oldest?.ms ?? edgeMs); belowMs < edgeMs; ) {
        belowMs = Math.min(edgeMs, belowMs + DAY_MS);
        swept += await writing(db, (trx) => trx(table).where({ model }).where('bucket_ms', '<', belowMs).delete());
      }
    }
  }
  for (const [width_ms, keptMs] of Object.entries(LOAD_KEPT_MS))
    swept += await writing(db, (trx) =>
      trx('gateway_load')
        .where({ width_ms: Number(width_ms) })
        .where('at_ms', '<', nowMs - keptMs)
        .delete(),
    );
  return swept;
}
