/**
 * Makes a SQLite file vanish from under a gateway of this process: every statement on it fails as it does when the disk
 * is gone. A real file cannot be taken away from a process that has it open. Only connections that name the file in the
 * very same words are meant, so that an operator with another name for it goes on; so does the journal, in its thread.
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
