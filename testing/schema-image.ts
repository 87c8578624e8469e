/**
 * The tables of a new SQLite database, as the bytes of its file. They are made once for each state of the sources, and
 * kept in the folder for temporary files: to make them takes more processor time than most test files.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCES = new URL('../src/storage/database/', import.meta.url).pathname;

/** The bytes; `new Sqlite(bytes)` opens them in memory. */
export async function schemaImage(): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.ts', { cwd: SOURCES }).sort()) hash.update(readFileSync(join(SOURCES, file)));
  const kept = join(tmpdir(), `sluice-tables-${hash.digest('hex').slice(0, 16)}.sqlite`);
  try {
    return readFileSync(kept);
  } catch {
    const made = `${kept}-${process.pid}`;
    await makeTables(made);
    renameSync(made, kept);
    return readFileSync(kept);
  }
}

async function makeTables(filename: string): Promise<void> {
  const { openDatabase } = await import('#storage/database/database.ts');
  const { migrate } = await import('#storage/database/migrations/migrate.ts');
  const db = openDatabase(`sqlite:${filename}`);
  await migrate(db);
  // Bytes in memory cannot have a write-ahead log.
  await db.knex.raw('PRAGMA journal_mode = DELETE');
  await db.close();
}
