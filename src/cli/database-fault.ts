/** Explains why a database cannot be used, in one sentence that names it and what to do; never its password. */
import { DatabaseRefused } from '#storage/database/refusal.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server answers there; start it, or correct DATABASE_URL',
  ENOTFOUND: 'its host is not known; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; check the network',
  PROTOCOL_SEQUENCE_TIMEOUT: 'it stopped answering; check the server and the network',
  ER_ACCESS_DENIED_ERROR: 'it refuses this user or password; correct DATABASE_URL',
  ER_DBACCESS_DENIED_ERROR: 'this user may not use it; grant the rights',
  ER_TABLEACCESS_DENIED_ERROR: 'this user lacks rights on its tables; grant all rights on the database',
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

/** The sentence for `error`; null when it is not an error of the database. */
export function databaseFault(error: unknown, databaseUrl: string): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refused = error instanceof DatabaseRefused ? error.reason : undefined;
  const reason = refused ?? REASONS[code] ?? REASONS[code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')];
  if (reason) return `The database ${withoutPassword(databaseUrl)} cannot be used: ${reason}.`;
  if (!/^(SQLITE|ER|PROTOCOL)_/.test(code)) return null;
  return `The database ${withoutPassword(databaseUrl)} cannot be used: ${code}, ${lastPart(error)}.`;
}

/** The address without its password, to be shown and logged. A password may contain `@`: it ends at the last one. */
export function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/^([a-z]+:\/\/[^:/@]*):.*@/, '$1:***@');
}

/** Removes the statement and the dash that Knex puts before the driver's message. */
function lastPart(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split(' - ').at(-1) ?? '').replace(/\.$/, '');
}
