/** Translated requests of accounts with log_payloads, as the operator reads them. The journal writes them. Spec 2.3. */
import type { Database } from './database.ts';
import { writing } from './transaction.ts';
import { int, type Row, text } from './values.ts';

const BATCH = 500;

/** One kept request. */
export interface RequestLog {
  readonly orderId: string;
  readonly accountId: string;
  readonly expiresAtMs: number;
  /** What the model was sent, without the parts that every attempt adds, and `user` and the like, which it was not. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The request of an order; null when none is kept at `nowMs`. */
export async function findRequestLog({ knex }: Database, orderId: string, nowMs: number): Promise<RequestLog | null> {
  const row: Row | undefined = await knex('request_logs')
    .where({ order_id: orderId })
    .where('expires_at_ms', '>', nowMs)
    .first();
  if (!row) return null;
  return {
    orderId: text(row.order_id),
    accountId: text(row.account_id),
    expiresAtMs: int(row.expires_at_ms),
    body: JSON.parse(text(row.body)),
  };
}

/** Deletes what expired by `nowMs`, a bounded number at a time, and tells how many. Safe beside a gateway. */
export async function sweepRequestLogs(db: Database, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const due = db.knex('request_logs').where('expires_at_ms', '<=', nowMs).limit(BATCH).pluck('order_id');
    const orderIds: string[] = await due;
    if (orderIds.length === 0) return swept;
    swept += await writing(db, (trx) => trx('request_logs').whereIn('order_id', orderIds).delete());
  }
}
