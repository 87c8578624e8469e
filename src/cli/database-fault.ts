/** What is wrong with a database that cannot be used, in a sentence that names it and the mend; never its password. */

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody answers there; start it, or correct DATABASE_URL',
  ENOTFOUND: 'its host is not known; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; check the network between',
  ER_ACCESS_DENIED_ERROR: 'it refuses this user or password; correct DATABASE_URL',
  ER_DBACCESS_DENIED_ERROR: 'this user may not use it; grant the rights',
  ER_TABLEACCESS_DENIED_ERROR: 'this user lacks rights on its tables; grant all rights on the database',
  ER_BAD_DB_ERROR: 'the server has no database of that name; create it first',
  DATABASE_IN_USE: 'another gateway serves it; stop that one, or set DATABASE_URL to another',
  SQLITE_CANTOPEN: 'the file cannot be opened; check that its folder exists and may be written',
  SQLITE_READONLY: 'the file may not be written; check its rights',
  SQLITE_NOTADB: 'the file is no SQLite database; move it away',
  SQLITE_BUSY: 'another process holds it locked; end that first',
  SQLITE_FULL: 'the disk is full; make room',
  SQLITE_IOERR: 'its disk cannot be read or written; see whether it is full or broken',
  ENOSPC: 'the disk is full; make room',
  EACCES: 'the folder may not be written; check its rights',
  EROFS: 'the folder may not be written; check its rights',
  ENOTDIR: 'a part of its path is a file; correct DATABASE_URL',
};

/** The sentence for `error`; null when it is not the database that is at fault. */
export function databaseFault(error: unknown, databaseUrl: string): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code] ?? REASONS[code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1')];
  if (reason) return `The database ${withoutPassword(databaseUrl)} cannot be used: ${reason}.`;
  if (!/^(SQLITE|ER|PROTOCOL)_/.test(code)) return null;
  return `The database ${withoutPassword(databaseUrl)} cannot be used: ${code}, ${lastPart(error)}.`;
}

/** The address as it may be shown and logged. A password may hold an `@` itself: it ends at the last one. */
export function withoutPassword(databaseUrl: string): string {
  return databaseUrl.replace(/^([a-z]+:\/\/[^:/@]*):.*@/, '$1:***@');
}

/** Knex puts the statement and a dash before the driver's words. */
function lastPart(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split(' - ').at(-1) ?? '').replace(/\.$/, '');
}
