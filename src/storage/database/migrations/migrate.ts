/**
 * Migrates the tables to the newest version. Knex's own migrator is not used: it refuses a second process that starts
 * at the same moment, and after a kill its lock row stays forever. Here the lock is SQLite's write transaction, or a
 * named lock of MySQL; both end with their connection. Whether it may run while a gateway lives is decided by
 * `bringUpToDate` in `storage/leases/living-gateways.ts`.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Database } from '../database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { DatabaseRefused } from '../refusal.ts';
import { writing } from '../transaction.ts';
import { baseline } from './0060_baseline.ts';
import { leaseStates } from './0061_lease_states.ts';
import { strictColumns } from './0062_strict.ts';
import { keyScopes } from './0063_key_scopes.ts';
import { memberLinks } from './0064_member_links.ts';
import { filesByCreation } from './0065_files_by_creation.ts';
import { migrationsCollation } from './0066_migrations_collation.ts';
import { leaseCommits } from './0068_lease_commits.ts';
import { operatorTokens } from './0070_operator_tokens.ts';
import { orderRequests } from './0071_order_requests.ts';
import { addedPods } from './0072_added_pods.ts';
import { receiptLinks } from './0073_receipt_links.ts';
import { firstOutput } from './0074_first_output.ts';
import { alertTargets } from './0075_alert_targets.ts';
import { alertRules } from './0076_alert_rules.ts';
import { tags } from './0077_tags.ts';
import { gatewayLoad } from './0078_gateway_load.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order in which they are applied. */
export const migrations: readonly Migration[] = [
  baseline,
  leaseStates,
  strictColumns,
  keyScopes,
  memberLinks,
  filesByCreation,
  migrationsCollation,
  leaseCommits,
  operatorTokens,
  orderRequests,
  addedPods,
  receiptLinks,
  firstOutput,
  alertTargets,
  alertRules,
  tags,
  gatewayLoad,
];
const LOCK_WAIT_S = 60;
/** MySQL refuses longer names of locks. A name of a database has as many characters. */
const LOCK_NAME_MAX = 64;

const known = new Set(migrations.flatMap(({ id, replaces = [] }) => [id, ...replaces]));

/** Whether `db` has every migration of this version. Rejects with DatabaseRefused when it has one of a newer version. */
export async function isCurrent({ knex }: Pick<Database, 'knex'>): Promise<boolean> {
  return (await knex.schema.hasTable('migrations')) && missing(await appliedIds(knex)).length === 0;
}

/**
 * Applies the missing migrations and returns their ids. Several processes may call it at once. It waits for no lock when
 * none is missing: commands that only read run while another process writes. Rejects with DatabaseRefused, and has
 * changed nothing, when a newer version made the tables.
 */
export async function migrate(db: Database): Promise<string[]> {
  if (await isCurrent(db)) return [];
  await db.knex.raw(
    `CREATE TABLE IF NOT EXISTS migrations (id VARCHAR(64) NOT NULL PRIMARY KEY) ${db.dialect.wideTable}`,
  );
  return db.dialect.name === 'sqlite' ? writing(db, (trx) => applyMissing(db.dialect, trx)) : migrateMysql(db);
}

/** DDL commits implicitly on MySQL, so a named lock on the connection of this transaction keeps others out. */
async function migrateMysql(db: Database): Promise<string[]> {
  return db.knex.transaction(async (trx) => {
    const [[{ name }]] = await trx.raw('SELECT DATABASE() AS name');
    const lock = migrationLock(String(name));
    const [rows] = await trx.raw('SELECT GET_LOCK(?, ?) AS locked', [lock, LOCK_WAIT_S]);
    if (Number(rows[0]?.locked) !== 1) throw new Error('Another process is migrating this database; try again later.');
    try {
      return await applyMissing(db.dialect, trx);
    } finally {
      await trx.raw('SELECT RELEASE_LOCK(?)', [lock]);
    }
  });
}

/** The same as in earlier versions wherever the server takes that name. */
function migrationLock(database: string): string {
  const name = `${database}.migrate`;
  if (name.length <= LOCK_NAME_MAX) return name;
  return `sluice.migrate.${createHash('sha256').update(database).digest('hex').slice(0, 40)}`;
}

async function applyMissing(dialect: Dialect, trx: Knex.Transaction): Promise<string[]> {
  const applied = await appliedIds(trx);
  const applying = missing(applied);
  for (const { id, replaces = [], statements } of applying) {
    for (const statement of statements(dialect, applied)) await runOnce(dialect, trx, statement);
    const recorded = [...replaces.filter((earlier) => !applied.has(earlier)), id];
    await trx('migrations').insert(recorded.map((one) => ({ id: one })));
  }
  return applying.map(({ id }) => id);
}

/** This version's writes may break something that a newer one relies on, such as the chain of prices. */
async function appliedIds(knex: Knex): Promise<ReadonlySet<string>> {
  const ids: string[] = await knex('migrations').orderBy('id').pluck('id');
  const newer = ids.filter((id) => !known.has(id)).at(-1);
  if (newer === undefined) return new Set(ids);
  throw new DatabaseRefused(`a newer version made its tables, with the migration ${newer}; use that version`);
}

function missing(applied: ReadonlySet<string>): Migration[] {
  return migrations.filter(({ id }) => !applied.has(id));
}

async function runOnce(dialect: Dialect, trx: Knex.Transaction, statement: string): Promise<void> {
  try {
    await trx.raw(statement);
  } catch (error) {
    if (!dialect.isAlreadyDone(error)) throw error;
  }
}
