/**
 * Completes the tables of a database with some of the forty migrations that the baseline replaced. Missing tables and
 * indexes are created as in a new database. This file adds the rest: columns of tables that exist, and tables that are
 * summed from others.
 */
import { DAY_MS } from '#base/time.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { DatabaseRefused } from '../refusal.ts';

/** The ids of the migrations before the baseline, in the order in which they were applied. */
export const replaced: readonly string[] = [
  '0001_foundation',
  '0002_quotes',
  '0003_order_days',
  '0004_level_history',
  '0005_results',
  '0006_model_tokens',
  '0007_request_logs',
  '0008_probes',
  '0009_files',
  '0010_batches',
  '0011_stored_answers',
  '0012_order_hours',
  '0014_ended_index_anew',
  '0015_level_blocks',
  '0016_batch_indexes',
  '0017_acknowledgements',
  '0018_quote_state_size',
  '0019_scarce_locks',
  '0020_leases',
  '0021_cluster',
  '0022_key_budgets',
  '0023_members',
  '0024_run_hours',
  '0025_payments',
  '0029_audit_runs',
  '0030_held_invitations',
  '0031_request_logs_by_account',
  '0032_sign_in',
  '0033_transfers',
  '0034_transfers_by_time',
  '0037_probe_days',
  '0037_identities',
  '0035_top_ups',
  '0040_balance_alerts',
  '0054_signing_keys',
  '0055_price_chains',
  '0056_webhooks',
  '0057_max_charge',
  '0058_deadlines',
  '0059_batch_deadlines',
];

/** The last migration of the oldest version whose tables can be completed. */
const OLDEST = '0016_batch_indexes';

/** Columns that the migration `id` added to `table`. The migration `since` created that table, if `OLDEST` had none. */
interface AddedColumns {
  readonly id: string;
  readonly table: string;
  readonly since?: string;
  readonly columns: readonly string[];
}

/** In the order of the migrations, which is the order of the columns in the baseline. */
const addedColumns: readonly AddedColumns[] = [
  {
    id: '0019_scarce_locks',
    table: 'lock_minutes',
    columns: ['scarce_started BIGINT NOT NULL DEFAULT 0', 'scarce_missed BIGINT NOT NULL DEFAULT 0'],
  },
  { id: '0021_cluster', table: 'batches', columns: ['boot_epoch BIGINT NOT NULL DEFAULT 0'] },
  { id: '0021_cluster', table: 'orders', columns: ['quote_seq BIGINT NULL'] },
  {
    id: '0022_key_budgets',
    table: 'api_keys',
    columns: [
      'budget BIGINT NULL',
      "budget_reset VARCHAR(8) NOT NULL DEFAULT 'never'",
      'budget_from_ms BIGINT NOT NULL DEFAULT 0',
      'budget_spent BIGINT NOT NULL DEFAULT 0',
      'budget_held BIGINT NOT NULL DEFAULT 0',
      'expires_at_ms BIGINT NULL',
      'models TEXT NULL',
      'previous_hash CHAR(64) NULL',
      'previous_until_ms BIGINT NULL',
    ],
  },
  { id: '0022_key_budgets', table: 'orders', columns: ['budget_from_ms BIGINT NULL'] },
  {
    id: '0022_key_budgets',
    table: 'batches',
    columns: ['key_models TEXT NULL', 'key_budgeted SMALLINT NOT NULL DEFAULT 0'],
  },
  { id: '0025_payments', table: 'accounts', columns: ['owed BIGINT NOT NULL DEFAULT 0'] },
  {
    id: '0029_audit_runs',
    table: 'audit_acknowledgements',
    since: '0017_acknowledgements',
    columns: ['who VARCHAR(254) NULL'],
  },
  {
    id: '0035_top_ups',
    table: 'payments',
    since: '0025_payments',
    columns: ['automatic SMALLINT NOT NULL DEFAULT 0'],
  },
  { id: '0055_price_chains', table: 'levels', columns: ['hash VARCHAR(43) NULL'] },
  { id: '0055_price_chains', table: 'quotes', columns: ['hash VARCHAR(43) NULL'] },
  { id: '0056_webhooks', table: 'accounts', columns: ['webhooks SMALLINT NOT NULL DEFAULT 0'] },
  { id: '0056_webhooks', table: 'api_keys', columns: ['budget_told_from_ms BIGINT NULL'] },
  { id: '0057_max_charge', table: 'orders', columns: ['max_charge BIGINT NULL'] },
  { id: '0058_deadlines', table: 'orders', columns: ['deadline_ms BIGINT NULL'] },
  { id: '0059_batch_deadlines', table: 'batches', columns: ['deadline_ms BIGINT NULL'] },
];

const day = (column: string) => `(${column} - ${column} % ${DAY_MS}) / ${DAY_MS}`;
const bucketDay = `bucket_ms - bucket_ms % ${DAY_MS}`;

/** Tables that are filled from others, each with the migration that did so. */
const summedTables: readonly { readonly id: string; readonly table: string; readonly fill: string }[] = [
  {
    id: '0022_key_budgets',
    table: 'usage_days',
    fill: `INSERT INTO usage_days (account_id, day, model, key_id, requests, charged)
     SELECT usage_records.account_id, ${day('usage_records.created_at_ms')}, usage_records.model,
       COALESCE(orders.key_id, ''), COUNT(*), SUM(charged - refunded)
     FROM usage_records LEFT JOIN orders ON orders.id = usage_records.order_id
     GROUP BY 1, 2, 3, 4`,
  },
  {
    id: '0033_transfers',
    table: 'transfers',
    fill: `INSERT INTO transfers (account_id, created_at_ms, id, unique_key, charged_day)
     SELECT entries.account_id, entries.created_at_ms, entries.id, entries.unique_key,
       ${day('usage_records.created_at_ms')}
     FROM entries LEFT JOIN usage_records ON usage_records.order_id = entries.order_id
     WHERE entries.kind <> 'charge' AND entries.unique_key NOT LIKE 'house:%'`,
  },
  {
    id: '0037_probe_days',
    table: 'probe_days',
    fill: `INSERT INTO probe_days (model, bucket_ms, total, failures, done, ms_max, queue_ms, queue_ms_max, pipeline_ms,
       pipeline_ms_max)
     SELECT model, ${bucketDay}, SUM(total), SUM(failures), SUM(done), MAX(ms_max), SUM(queue_ms), MAX(queue_ms_max),
       SUM(pipeline_ms), MAX(pipeline_ms_max)
     FROM probe_buckets GROUP BY model, ${bucketDay}`,
  },
];

/**
 * The statements for a database with the migrations `applied`; `tables` are those of a new database. Throws
 * DatabaseRefused when it is older than `OLDEST`.
 */
export function completeTables(
  tables: readonly string[],
  dialect: Dialect,
  applied: ReadonlySet<string>,
): readonly string[] {
  if (!applied.has(OLDEST)) {
    throw new DatabaseRefused(
      'a version before 0.1.0 made its tables; start version 0.1.0 with it once, then this one',
    );
  }
  const columns = addedColumns
    .filter(({ id, since = OLDEST }) => !applied.has(id) && applied.has(since))
    .flatMap((added) => added.columns.map((column) => `ALTER TABLE ${added.table} ADD COLUMN ${column}`));
  const summed = summedTables.filter(({ id }) => !applied.has(id));
  return [
    ...columns,
    ...dialect.widenText('quote_states', 'state'),
    ...summed.map(({ table }) => `DROP TABLE IF EXISTS ${table}`),
    ...tables,
    ...summed.map(({ fill }) => fill),
  ];
}
