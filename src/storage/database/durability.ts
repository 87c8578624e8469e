/** Finds settings under which an acknowledged commit can be lost. `serve` prints them before it takes an order. */
import type { Database } from './database.ts';

/** One sentence per setting of the database that can lose commits; empty when there is none. */
export async function durabilityWarnings(db: Database): Promise<string[]> {
  return db.dialect.name === 'sqlite' ? sqliteWarnings(db) : mysqlWarnings(db);
}

async function sqliteWarnings({ knex }: Database): Promise<string[]> {
  const warnings: string[] = [];
  const [journal] = await knex.raw('PRAGMA journal_mode');
  if (journal?.journal_mode !== 'wal') {
    warnings.push(
      `SQLite runs with journal_mode ${journal?.journal_mode} instead of wal: this file system does not support it, ` +
        'and readers will hold up commits. Put the database on a local disk.',
    );
  }
  const [synchronous] = await knex.raw('PRAGMA synchronous');
  if (Number(synchronous?.synchronous) < 2) {
    warnings.push('SQLite runs with synchronous below FULL: a power cut can lose settled orders.');
  }
  return warnings;
}

/** The variables that matter, and the values under which a commit survives. */
const SAFE: readonly { name: string; safe: (value: string) => boolean; fix: string }[] = [
  { name: 'innodb_flush_log_at_trx_commit', safe: (value) => value === '1', fix: 'set it to 1' },
  { name: 'innodb_doublewrite', safe: (value) => !/^(0|off)$/i.test(value), fix: 'turn it on' },
];

async function mysqlWarnings({ knex }: Database): Promise<string[]> {
  const names = [...SAFE.map(({ name }) => name), 'log_bin', 'sync_binlog'];
  const [rows] = await knex.raw(`SHOW VARIABLES WHERE Variable_name IN (${names.map(() => '?').join(', ')})`, names);
  const values = new Map<string, string>();
  for (const row of rows) values.set(String(row.Variable_name).toLowerCase(), String(row.Value));
  const warnings = SAFE.filter(({ name, safe }) => !safe(values.get(name) ?? '')).map(
    ({ name, fix }) => `${name} is ${values.get(name)}: a crash of the server can lose settled orders; ${fix}.`,
  );
  if (/^(1|on)$/i.test(values.get('log_bin') ?? '') && values.get('sync_binlog') !== '1') {
    warnings.push(`sync_binlog is ${values.get('sync_binlog')}: a crash can lose settled orders; set it to 1.`);
  }
  return warnings;
}
