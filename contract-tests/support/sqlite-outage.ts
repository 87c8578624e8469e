/**
 * Makes a SQLite file unreachable for a gateway of this process: every statement on it fails as if the disk were gone.
 * A real file cannot be taken from a process that has it open. Only connections that use exactly this name of the file
 * fail, so an operator with another name for it is not affected; nor is the journal, in its thread.
 */
import Sqlite from 'better-sqlite3';

const gone = new Set<string>();
const prepare = Sqlite.prototype.prepare;

/** Runs `act` while no statement on the file `filename` succeeds. */
export async function withoutSqliteFile<Result>(filename: string, act: () => Promise<Result>): Promise<Result> {
  Sqlite.prototype.prepare = failing;
  gone.add(filename);
  try {
    return await act();
  } finally {
    gone.delete(filename);
  }
}

const failing = new Proxy(prepare, {
  apply(original, connection: Sqlite.Database, args) {
    if (gone.has(connection.name)) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
    return Reflect.apply(original, connection, args);
  },
});
