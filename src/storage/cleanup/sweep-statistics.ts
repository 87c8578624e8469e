/** Retention of statistics: deletes rows older than any range. A step holds the database only for a moment. */
import { PROBE_DAYS_KEPT_MS, STATISTICS_KEPT_MS } from '#observe/ports.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { int, type Row } from '../database/values.ts';

/** How much time one step covers. */
const STEP_MS = 86_400_000;

/** And how long each keeps its rows. */
const TABLES = [
  ['model_tokens', STATISTICS_KEPT_MS],
  ['probe_buckets', STATISTICS_KEPT_MS],
  ['run_hours', STATISTICS_KEPT_MS],
  ['probe_days', PROBE_DAYS_KEPT_MS],
] as const;

/** Deletes expired rows and returns how many. */
export async function sweepStatistics(db: Database, nowMs: number): Promise<number> {
  let swept = 0;
  for (const [table, keptMs] of TABLES) {
    const models: string[] = await db.knex(table).distinct().pluck('model');
    for (const model of models) {
      const oldest: Row | undefined = await db.knex(table).where({ model }).min({ ms: 'bucket_ms' }).first();
      const edgeMs = nowMs - keptMs;
      for (let belowMs = int(oldest?.ms ?? edgeMs); belowMs < edgeMs; ) {
        belowMs = Math.min(edgeMs, belowMs + STEP_MS);
        swept += await writing(db, (trx) => trx(table).where({ model }).where('bucket_ms', '<', belowMs).delete());
      }
    }
  }
  return swept;
}
