/**
 * One gateway per SQLite file. The lock belongs to the operating system and is never a row, so that it ends with its
 * process in any case. The operator's commands take no lock: they are safe beside a running gateway. Servers have leases
 * instead, `leases/serving.ts`.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { errorCode } from './dialects/dialect.ts';
import { DatabaseInUse } from './refusal.ts';

/** Held here, because the collector closes a connection that nobody refers to, and with it the lock. */
const held = new Set<Sqlite.Database>();

/** A held lock. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of a database file for as long as this process lives: an exclusive transaction on a file beside it.
 * Throws DatabaseInUse when another process has it.
 */
export function lockFile(filename: string): FileLock {
  const lock = new Sqlite(`${realFile(filename)}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw errorCode(error) === 'SQLITE_BUSY' ? new DatabaseInUse() : error;
  }
  held.add(lock);
  return {
    release() {
      held.delete(lock);
      lock.close();
    },
  };
}

/** Symbolic links to one file share its lock. */
function realFile(filename: string): string {
  return existsSync(filename) ? realpathSync(filename) : join(realpathSync(dirname(filename)), basename(filename));
}
