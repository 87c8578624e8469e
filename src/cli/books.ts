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
import { databaseFault } from './database-fault.ts';
import { CommandError } from './output.ts';

/** Accounts, keys and money, over one open database. */
export interface Books {
  readonly db: Database;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly treasury: Treasury;
  /** The migrations that opening applied. */
  readonly migrated: readonly string[];
}

/** Opens the books, hands them to `use`, and closes them again. Throws CommandError when the database cannot be used. */
export async function withBooks<Value>(databaseUrl: string, use: (books: Books) => Promise<Value>): Promise<Value> {
  let db: Database | null = null;
  try {
    db = openDatabase(databaseUrl);
    return await use(await openBooks(db));
  } catch (error) {
    const sentence = databaseFault(error, databaseUrl);
    throw sentence === null ? error : new CommandError(sentence);
  } finally {
    await db?.close();
  }
}

async function openBooks(db: Database): Promise<Books> {
  const migrated = await migrate(db);
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  return { db, accounts: new Accounts(parts), keys: new Keys(parts), treasury: new Treasury(parts), migrated };
}
