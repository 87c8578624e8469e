/** Request logs of accounts with log_payloads, as the operator reads them. The journal writes them. Spec 2.3. */
import { exactJson } from '#base/exact-json.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text } from '../database/values.ts';

/** A request that an account has had logged. */
export interface LoggedRequest {
  readonly orderId: string;
  readonly accountId: string;
  readonly expiresAtMs: number;
  /** What the model was sent, without the fields that each attempt adds, plus `user` and the like, not sent to it. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The logged request of an order; null when there is none at `nowMs`. */
export async function findRequestLog(
  { knex }: Database,
  orderId: string,
  nowMs: number,
): Promise<LoggedRequest | null> {
  const row: Row | undefined = await knex('request_logs')
    .where({ order_id: orderId })
    .where('expires_at_ms', '>', nowMs)
    .first();
  if (!row) return null;
  return {
    orderId: text(row.order_id),
    accountId: text(row.account_id),
    expiresAtMs: int(row.expires_at_ms),
    body: exactJson(text(row.body)) as LoggedRequest['body'],
  };
}
