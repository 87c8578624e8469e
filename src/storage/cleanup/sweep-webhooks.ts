/** Deletes messages that nobody waits for or looks at any more. */
import { DAY_MS } from '#base/time.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { flag, int, type Row } from '../database/values.ts';

/** How long a message is listed, and kept for an endpoint that is disabled. For one that is enabled it is kept until it is sent. */
const KEPT_MS = 7 * DAY_MS;
const STEP_ROWS = 500;

/**
 * Deletes messages of more than seven days, a bounded number at a time, and returns how many. What an enabled endpoint is
 * still owed stays: it is sent, or the endpoint is disabled in the end. Safe beside a gateway.
 */
export async function sweepWebhooks(db: Database, nowMs: number): Promise<number> {
  let afterSeq = 0;
  for (let swept = 0; ; ) {
    // The oldest come first, so what is found is at the beginning.
    const oldest: Row[] = await db
      .knex('webhook_messages')
      .leftJoin('webhook_endpoints', 'webhook_endpoints.id', 'webhook_messages.endpoint_id')
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(STEP_ROWS)
      .select('seq', 'webhook_messages.created_at_ms', 'next_at_ms', 'enabled');
    const old = oldest.filter((row) => int(row.created_at_ms) < nowMs - KEPT_MS);
    const over = old.filter((row) => row.next_at_ms === null || row.enabled === null || !flag(row.enabled));
    const seqs = over.map(({ seq }) => String(seq));
    if (seqs.length > 0) swept += await writing(db, (trx) => trx('webhook_messages').whereIn('seq', seqs).delete());
    if (old.length < STEP_ROWS) return swept;
    afterSeq = int(old.at(-1)?.seq ?? 0);
  }
}
