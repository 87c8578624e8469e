/**
 * What the statistics of models are read from, so that no answer grows with the table of settlements.
 *
 * - `model_tokens`: the settled orders of customers, summed by model and quarter of an hour, in the transaction that
 *   settles them. `earned` is net of refunds. Wider buckets are sums of these.
 */
import { STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import type { Migration } from './migration.ts';

export const modelTokens: Migration = {
  id: '0006_model_tokens',
  statements: (dialect) => [
    `CREATE TABLE IF NOT EXISTS model_tokens (
      model VARCHAR(255) NOT NULL,
      bucket_ms BIGINT NOT NULL,
      uncached_tokens BIGINT NOT NULL,
      cached_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      earned BIGINT NOT NULL,
      PRIMARY KEY (model, bucket_ms)
    ) ${dialect.clusteredTable}`,
    // On MySQL this step may run a second time.
    'DELETE FROM model_tokens',
    `INSERT INTO model_tokens
     SELECT model, usage_records.created_at_ms - usage_records.created_at_ms % ${STATISTICS_BUCKET_MS},
       SUM(prompt_tokens - cached_tokens), SUM(cached_tokens), SUM(output_tokens), COUNT(*), SUM(charged - refunded)
     FROM usage_records JOIN accounts ON accounts.id = usage_records.account_id
     WHERE house = 0
     GROUP BY 1, 2`,
  ],
};
