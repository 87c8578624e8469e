/**
 * One gateway per SQLite file. The lock belongs to the operating system and is never a row, so that it ends with its
 * process in any case. The operator's commands take no lock: they are safe beside a running gateway. Servers have leases
 * instead, `leases/serving.ts`.
 */
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { errorCode } from './dialects/dialect.ts';
import { thisProcess } from './process.ts';
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
  const note = noteOf(filename);
  writeFileSync(note, thisProcess());
  return {
    release() {
      rmSync(note, { force: true });
      held.delete(lock);
      lock.close();
    },
  };
}

/** Whether a process holds the lock at this moment. */
export function isFileLocked(filename: string): boolean {
  const file = `${realFile(filename)}.lock`;
  if (!existsSync(file)) return false;
  const lock = new Sqlite(file, { timeout: 0, readonly: true });
  try {
    lock.prepare('SELECT name FROM sqlite_master').all();
    return false;
  } catch (error) {
    if (errorCode(error) === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    lock.close();
  }
}

/**
 * The process that holds the lock, as `storage/database/process.ts` writes it; null when none has written itself down. One that was
 * killed has left its note.
 */
export function fileHolder(filename: string): string | null {
  const note = noteOf(filename);
  return existsSync(note) ? readFileSync(note, 'utf8') : null;
}

function noteOf(filename: string): string {
  return `${realFile(filename)}.process`;
}

/** Symbolic links to one file share its lock. */
function realFile(filename: string): string {
  return existsSync(filename) ? realpathSync(filename) : join(realpathSync(dirname(filename)), basename(filename));
}
