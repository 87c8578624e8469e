/**
 * What the operator's commands work on: the database that the environment names, brought up to date, and the three
 * ways to change it. Commands may run while a gateway does; both see each other's changes within a second.
 */
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { Accounts } from '#storage/accounts.ts';
import { type Database, openDatabase } from '#storage/database.ts';
import { Keys } from '#storage/keys.ts';
import { migrate } from '#storage/migrate.ts';
import { Treasury } from '#storage/treasury.ts';

/** Accounts, keys and money, over one open database. */
export interface Books {
  readonly db: Database;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly treasury: Treasury;
  /** The migrations that opening applied. */
  readonly migrated: readonly string[];
}

/** Opens the books, hands them to `use`, and closes them again. */
export async function withBooks<Value>(databaseUrl: string, use: (books: Books) => Promise<Value>): Promise<Value> {
  const db = openDatabase(databaseUrl);
  try {
    const migrated = await migrate(db);
    const parts = { db, clock: systemClock, ids: idSource(systemClock) };
    return await use({
      db,
      accounts: new Accounts(parts),
      keys: new Keys(parts),
      treasury: new Treasury(parts),
      migrated,
    });
  } finally {
    await db.close();
  }
}
