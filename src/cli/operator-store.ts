/**
 * What the operator's commands use: the database of DATABASE_URL, brought up to date, and the stores that change it.
 * Commands may run while a gateway runs; both see each other's changes within a second.
 */
import type { Command } from 'commander';
import { Accounts } from '#accounts/account/account-store.ts';
import { OwnAccount } from '#accounts/account/own-account.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { Members } from '#accounts/members/member-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { readEnvironment } from '#config/environment.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { DatabaseRefused } from '#storage/database/refusal.ts';
import { bringUpToDate } from '#storage/leases/living-gateways.ts';
import { CommandError, type CommandResult, report } from './output.ts';

/** Accounts, keys, money and members in one open database, and the migrations that were applied when it was opened. */
export type OperatorStore = Awaited<ReturnType<typeof openStore>>;

/**
 * Opens the store, passes it to `use`, and closes it. Throws CommandError when the database cannot be used, or does not exist
 * where it `mustExist`.
 */
export async function withOperatorStore<Value>(
  databaseUrl: string,
  use: (store: OperatorStore) => Promise<Value>,
  mustExist = false,
): Promise<Value> {
  let db: Database | null = null;
  try {
    db = openDatabase(databaseUrl, silentLog, mustExist);
    return await use(await openStore(db));
  } catch (error) {
    const sentence = databaseFault(error, databaseUrl);
    throw sentence === null ? error : new CommandError(sentence);
  } finally {
    await db?.close();
  }
}

type Typed = Parameters<Parameters<Command['action']>[0]>;

type StoredCommand = (store: OperatorStore, ...typed: Typed) => Promise<CommandResult>;

/** Runs and reports a command that uses the database; it gets its arguments and options behind the store. */
export function stored(command: StoredCommand) {
  return (...typed: Typed): Promise<void> => runStored(command, typed, true);
}

/** The same for a command that may begin a database: any other, in the wrong folder, would leave an empty one there. */
export function beginning(command: StoredCommand) {
  return (...typed: Typed): Promise<void> => runStored(command, typed, false);
}

function runStored(command: StoredCommand, typed: Typed, mustExist: boolean): Promise<void> {
  const use = (store: OperatorStore) => command(store, ...typed);
  // Commander passes itself behind the options.
  return report(() => withOperatorStore(readEnvironment().databaseUrl, use, mustExist), typed.at(-2));
}

async function openStore(db: Database) {
  const migrated = await bringUpToDate(db);
  const parts = { db, clock: systemClock, ids: idSource(systemClock) };
  return {
    db,
    accounts: new Accounts(parts),
    own: new OwnAccount(parts),
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

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server answers there; start it, or correct DATABASE_URL',
  ENOTFOUND: 'its host is not known; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; check the network',
  PROTOCOL_SEQUENCE_TIMEOUT: 'it stopped answering; check the server and the network',
  ER_ACCESS_DENIED_ERROR: 'it refuses this user or password; correct DATABASE_URL',
  ER_DBACCESS_DENIED_ERROR: 'this user may not use it; grant the rights',
  ER_OPTION_PREVENTS_STATEMENT: 'it is read-only, as a replica is; set DATABASE_URL to the primary',
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: 'it is read-only, as a replica is; set DATABASE_URL to the primary',
  ER_BAD_DB_ERROR: 'the server has no database of that name; create it first',
  SQLITE_CANTOPEN: 'the file cannot be opened; check that its folder exists and is writable',
  SQLITE_READONLY: 'the file is not writable; check its permissions',
  SQLITE_NOTADB: 'the file is not a SQLite database; move it away',
  SQLITE_BUSY: 'another process has locked it; stop that process',
  SQLITE_FULL: 'the disk is full; make room',
  SQLITE_IOERR: 'its disk cannot be read or written; check whether it is full or broken',
  ENOSPC: 'the disk is full; make room',
  EACCES: 'its folder is not writable; check the permissions',
  EROFS: 'its folder is not writable; check the permissions',
  ENOTDIR: 'a part of its path is a file; correct DATABASE_URL',
};

/** Why a database cannot be used, and what to do, without its password; null if `error` is not of the database. */
export function databaseFault(error: unknown, databaseUrl: string): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refused = error instanceof DatabaseRefused ? error.reason : undefined;
  const reason = refused ?? missingRight(error) ?? REASONS[code] ?? REASONS[code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')];
  if (reason) return `The database ${withoutPassword(databaseUrl)} cannot be used: ${reason}.`;
  if (!/^(SQLITE|ER|PROTOCOL)_/.test(code)) return null;
  const [statement, cause] = partsOf(error);
  return `The database ${withoutPassword(databaseUrl)} refused a statement${purposeOf(statement)}: ${code}, ${cause}.`;
}

/** Which right a user of the server lacks, and how to give it; undefined when it lacks none. */
function missingRight(error: unknown): string | undefined {
  const [, right] = /\b([A-Z][A-Z ]*) command denied to user/.exec(partsOf(error)[1]) ?? [];
  if (right === undefined) return undefined;
  return ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].includes(right)
    ? `this user lacks the right to ${right}; grant SELECT, INSERT, UPDATE and DELETE on the database`
    : `this user lacks the right to ${right}, which changes of tables need; run \`sluice migrate\` once with the DATABASE_URL of a user who has all rights`;
}

/** Phrases by the first word of a statement. */
const PURPOSES: Readonly<Record<string, string>> = {
  select: 'reads',
  with: 'reads',
  insert: 'writes',
  update: 'changes',
  delete: 'deletes from',
  alter: 'changes the table',
  create: 'changes the table',
};

/** What a statement does to its first table, such as ` that reads orders`; '' when that cannot be seen. */
function purposeOf(statement: string): string {
  const [verb = ''] = /\w+/.exec(statement) ?? [];
  const named = /\b(?:from|into|update|table(?: if not exists)?)\s+[`"]?(\w+)/i.exec(statement);
  const purpose = PURPOSES[verb.toLowerCase()];
  return purpose && named ? ` that ${purpose} ${named[1]}` : '';
}

/** The address without its password, to be shown and logged. A password may contain `@`: it ends at the last one. */
export function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/^([a-z]+:\/\/[^:/@]*):.*@/, '$1:***@');
}

/** The statement and the driver's message, between which Knex puts a dash. The statement is '' where there is none. */
function partsOf(error: unknown): readonly [statement: string, cause: string] {
  const message = error instanceof Error ? error.message : String(error);
  const dash = message.lastIndexOf(' - ');
  return [message.slice(0, Math.max(dash, 0)), message.slice(dash < 0 ? 0 : dash + 3).replace(/\.$/, '')];
}
