/**
 * What the operator's commands use: the database of DATABASE_URL, brought up to date, and the stores that change it.
 * Commands may run while a gateway runs; both see each other's changes within a second.
 */
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { Members } from '#accounts/members/member-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { bringUpToDate } from '#storage/leases/looking.ts';
import { databaseFault } from './database-fault.ts';
import { CommandError, type CommandResult } from './output.ts';

/** Accounts, keys, money and members in one open database, and the migrations that were applied when it was opened. */
export type OperatorStore = Awaited<ReturnType<typeof openStore>>;

/** Opens the store, passes it to `use`, and closes it. Throws CommandError when the database cannot be used. */
export async function withOperatorStore<Value>(
  databaseUrl: string,
  use: (store: OperatorStore) => Promise<Value>,
): Promise<Value> {
  let db: Database | null = null;
  try {
    db = openDatabase(databaseUrl);
    return await use(await openStore(db));
  } catch (error) {
    const sentence = databaseFault(error, databaseUrl);
    throw sentence === null ? error : new CommandError(sentence);
  } finally {
    await db?.close();
  }
}

async function openStore(db: Database) {
  const migrated = await bringUpToDate(db);
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  return {
    db,
    accounts: new Accounts(parts),
    keys: new Keys(parts),
    transfers: new Transfers(parts),
    members: new Members(parts),
    migrated,
  };
}

/** `sluice migrate`: opening the store has brought the tables up to date; this reports what was applied. */
export async function migrateTables({ migrated }: OperatorStore): Promise<CommandResult> {
  const text = migrated.length === 0 ? 'The tables are up to date.' : `Applied ${migrated.join(', ')}.`;
  return { json: { applied: migrated }, text };
}
