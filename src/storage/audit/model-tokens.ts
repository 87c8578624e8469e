/** The sums behind the statistics of models must match the usage rows, without the house account's. */
import type { Knex } from 'knex';
import { STATISTICS_BUCKET_MS, STATISTICS_KEPT_MS } from '#observe/ports.ts';
import { type Row, text } from '../database/values.ts';
import { bucketOf } from '../journal/model-tokens.ts';
import type { Findings } from './findings.ts';

const SUMS = ['requests', 'uncached_tokens', 'cached_tokens', 'output_tokens', 'earned'] as const;

/** Checks the buckets that cannot have been swept yet; at most a month of them per model. */
export async function auditModelTokens(trx: Knex.Transaction, nowMs: number, findings: Findings): Promise<void> {
  const sinceMs = bucketOf(nowMs - STATISTICS_KEPT_MS) + STATISTICS_BUCKET_MS;
  const kept: Row[] = await trx('model_tokens').where('bucket_ms', '>=', sinceMs).orderBy(['model', 'bucket_ms']);
  const usage = await usageByBucket(trx, sinceMs);
  for (const row of kept) {
    const name = nameOf(row);
    const sums = usage.get(name);
    usage.delete(name);
    if (sums !== figuresOf(row)) findings.add(`The sums of bucket ${name} are not those of its usage rows.`);
  }
  for (const name of usage.keys()) findings.add(`Bucket ${name} has usage rows and no sums.`);
}

async function usageByBucket(trx: Knex.Transaction, sinceMs: number): Promise<Map<string, string>> {
  const bucket = `usage_records.created_at_ms - usage_records.created_at_ms % ${STATISTICS_BUCKET_MS}`;
  const rows: Row[] = await trx('usage_records')
    .join('accounts', 'accounts.id', 'usage_records.account_id')
    .where({ house: 0 })
    .where('usage_records.created_at_ms', '>=', sinceMs)
    .select(
      'model',
      trx.raw(`${bucket} AS bucket_ms`),
      trx.raw('COUNT(*) AS requests'),
      trx.raw('SUM(prompt_tokens - cached_tokens) AS uncached_tokens'),
      trx.raw('SUM(usage_records.cached_tokens) AS cached_tokens'),
      trx.raw('SUM(output_tokens) AS output_tokens'),
      trx.raw('SUM(charged - refunded) AS earned'),
    )
    .groupByRaw(`model, ${bucket}`);
  return new Map(rows.map((row) => [nameOf(row), figuresOf(row)]));
}

function nameOf(row: Row): string {
  return `${text(row.model)} ${text(row.bucket_ms)}`;
}

function figuresOf(row: Row): string {
  return SUMS.map((name) => text(row[name])).join(' ');
}
