/**
 * Migrates the tables to the newest version. Knex's own migrator is not used: it refuses a second process that starts
 * at the same moment, and after a kill its lock row stays forever. Here the lock is SQLite's write transaction, or a
 * named lock of MySQL; both end with their connection.
 */
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import type { Dialect } from './dialects/dialect.ts';
import { foundation } from './migrations/0001_foundation.ts';
import { quotes } from './migrations/0002_quotes.ts';
import { orderDays } from './migrations/0003_order_days.ts';
import { levelHistory } from './migrations/0004_level_history.ts';
import { results } from './migrations/0005_results.ts';
import { modelTokens } from './migrations/0006_model_tokens.ts';
import { requestLogs } from './migrations/0007_request_logs.ts';
import { probes } from './migrations/0008_probes.ts';
import { files } from './migrations/0009_files.ts';
import { batches } from './migrations/0010_batches.ts';
import { storedAnswers } from './migrations/0011_stored_answers.ts';
import { orderHours } from './migrations/0012_order_hours.ts';
import { endedIndexAnew } from './migrations/0014_ended_index_anew.ts';
import { levelBlocks } from './migrations/0015_level_blocks.ts';
import { batchIndexes } from './migrations/0016_batch_indexes.ts';
import { acknowledgements } from './migrations/0017_acknowledgements.ts';
import { quoteStateSize } from './migrations/0018_quote_state_size.ts';
import { scarceLocks } from './migrations/0019_scarce_locks.ts';
import { leases } from './migrations/0020_leases.ts';
import { cluster } from './migrations/0021_cluster.ts';
import { keyBudgets } from './migrations/0022_key_budgets.ts';
import { members } from './migrations/0023_members.ts';
import { runHours } from './migrations/0024_run_hours.ts';
import { payments } from './migrations/0025_payments.ts';
import { auditRuns } from './migrations/0029_audit_runs.ts';
import { heldInvitations } from './migrations/0030_held_invitations.ts';
import { requestLogsByAccount } from './migrations/0031_request_logs_by_account.ts';
import { signIn } from './migrations/0032_sign_in.ts';
import { transfers } from './migrations/0033_transfers.ts';
import { transfersByTime } from './migrations/0034_transfers_by_time.ts';
import { topUps } from './migrations/0035_top_ups.ts';
import { identities } from './migrations/0037_identities.ts';
import { probeDays } from './migrations/0037_probe_days.ts';
import { balanceAlerts } from './migrations/0040_balance_alerts.ts';
import { signingKeys } from './migrations/0054_signing_keys.ts';
import { priceChains } from './migrations/0055_price_chains.ts';
import { webhooks } from './migrations/0056_webhooks.ts';
import { maxCharge } from './migrations/0057_max_charge.ts';
import { deadlines } from './migrations/0058_deadlines.ts';
import { batchDeadlines } from './migrations/0059_batch_deadlines.ts';
import type { Migration } from './migrations/migration.ts';
import { writing } from './transaction.ts';

/** Every migration, in the order in which they are applied. */
export const migrations: readonly Migration[] = [
  foundation,
  quotes,
  orderDays,
  levelHistory,
  results,
  modelTokens,
  requestLogs,
  probes,
  files,
  batches,
  storedAnswers,
  orderHours,
  endedIndexAnew,
  levelBlocks,
  batchIndexes,
  acknowledgements,
  quoteStateSize,
  scarceLocks,
  leases,
  cluster,
  keyBudgets,
  members,
  runHours,
  payments,
  auditRuns,
  heldInvitations,
  requestLogsByAccount,
  signIn,
  transfers,
  transfersByTime,
  probeDays,
  identities,
  topUps,
  balanceAlerts,
  signingKeys,
  priceChains,
  webhooks,
  maxCharge,
  deadlines,
  batchDeadlines,
];
const LOCK_WAIT_S = 60;

/**
 * Applies the missing migrations and returns their ids. Several processes may call it at once. It waits for no lock when
 * none is missing: commands that only read run while another process writes.
 */
export async function migrate(db: Database): Promise<string[]> {
  if ((await db.knex.schema.hasTable('migrations')) && (await missing(db.knex)).length === 0) return [];
  await db.knex.raw('CREATE TABLE IF NOT EXISTS migrations (id VARCHAR(64) NOT NULL PRIMARY KEY)');
  return db.dialect.name === 'sqlite' ? migrateSqlite(db) : migrateMysql(db);
}

/** The first statement writes, so that the transaction holds the write lock before it reads what was applied. */
async function migrateSqlite(db: Database): Promise<string[]> {
  return writing(db, async (trx) => {
    await trx.raw("DELETE FROM migrations WHERE id = ''");
    return applyMissing(db.dialect, trx);
  });
}

/** DDL commits implicitly on MySQL, so a named lock on the connection of this transaction keeps others out. */
async function migrateMysql(db: Database): Promise<string[]> {
  return db.knex.transaction(async (trx) => {
    const [rows] = await trx.raw('SELECT GET_LOCK(CONCAT(DATABASE(), ?), ?) AS locked', ['.migrate', LOCK_WAIT_S]);
    if (Number(rows[0]?.locked) !== 1) throw new Error('Another process is migrating this database; try again later.');
    try {
      return await applyMissing(db.dialect, trx);
    } finally {
      await trx.raw('SELECT RELEASE_LOCK(CONCAT(DATABASE(), ?))', ['.migrate']);
    }
  });
}

async function applyMissing(dialect: Dialect, trx: Knex.Transaction): Promise<string[]> {
  const applying = await missing(trx);
  for (const migration of applying) {
    for (const statement of migration.statements(dialect)) await runOnce(dialect, trx, statement);
    await trx('migrations').insert({ id: migration.id });
  }
  return applying.map(({ id }) => id);
}

async function missing(knex: Knex): Promise<Migration[]> {
  const applied = new Set(await knex('migrations').pluck('id'));
  return migrations.filter(({ id }) => !applied.has(id));
}

async function runOnce(dialect: Dialect, trx: Knex.Transaction, statement: string): Promise<void> {
  try {
    await trx.raw(statement);
  } catch (error) {
    if (!dialect.isAlreadyDone(error)) throw error;
  }
}
