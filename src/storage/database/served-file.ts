/**
 * Which process serves a SQLite file, and whether a path still leads to the file that it led to. Nothing here opens a
 * database except through SQLite: a process that closes any other handle of it loses SQLite's locks.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { errorCode } from './dialects/dialect.ts';
import { isGone } from './process.ts';

/** A file, whatever it is called. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** The file at this path; null when there is none. */
export function fileAt(path: string): FileIdentity | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? { device: found.dev, inode: found.ino } : null;
}

/** Whether the path leads to the file. True also when the system cannot say: a disk that fails is not a missing file. */
export function leadsTo(path: string, file: FileIdentity): boolean {
  try {
    const found = fileAt(path);
    if (found?.device !== file.device) return false;
    // Some shared folders of virtual machines give a file a new number while it is open.
    return found.inode === file.inode || placeOf(file) === realpathSync(path);
  } catch {
    return true;
  }
}

/** Where a file is that this process has open; null when it was deleted, or where the system does not say. */
export function placeOf({ device, inode }: FileIdentity): string | null {
  for (const handle of openHandles()) {
    const found = statSync(handle, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === inode && found.dev === device)
      return found.nlink === 0n ? null : stillThere(readlinkSync(handle));
  }
  return null;
}

/** The system names a deleted file by its last name, also where it has another one, which is not known. */
function stillThere(name: string): string | null {
  return name.endsWith(' (deleted)') && !existsSync(name) ? null : name;
}

function openHandles(): string[] {
  const folder = '/proc/self/fd';
  return existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
}

/** Whether the log of the last commits is beside the file. */
export function hasLog(filename: string): boolean {
  return existsSync(`${realpathSync(filename)}-wal`);
}

/** The log of a file that was deleted before all of its pages were in the file, and the index that it left behind. */
interface LostLog {
  readonly log: string;
  readonly index: string;
  readonly pages: number;
}

/**
 * What the index of a deleted log says about it; null where nothing is missing. SQLite deletes the index before the log
 * when the last connection closes, so an index alone is what a deletion left. https://sqlite.org/walformat.html, "The
 * WAL-Index".
 */
export function lostLog(filename: string): LostLog | null {
  const real = realpathSync(filename);
  const [log, index] = [`${real}-wal`, `${real}-shm`];
  if (hasLog(filename) || !existsSync(index)) return null;
  const bytes = readFileSync(index);
  if (bytes.length < 100) return null;
  // In the byte order of the machine.
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 25);
  const [written = 0, inFile = 0] = [words[4], words[24]];
  return written > inFile ? { log, index, pages: written - inFile } : null;
}

/** A gateway that serves a file. */
export interface ServingProcess {
  /** As `thisProcess` writes it; null when it is not known. */
  readonly process: string | null;
}

/**
 * The gateway that serves the file at this path, whatever the path is called; null when none does. A gateway writes its
 * process into the file. One that was killed leaves that behind, so what counts is whether the process has ended, or else
 * whether anybody has the file open, which the operating system knows.
 */
export function servingProcess(filename: string): ServingProcess | null {
  if (!existsSync(filename)) return null;
  const earlier = earlierVersion(filename);
  if (earlier) return earlier;
  const process = writtenProcess(filename);
  if (process === null || isGone(process)) return null;
  return isOpen(filename) ? { process } : null;
}

function writtenProcess(filename: string): string | null {
  const database = new Sqlite(filename, { fileMustExist: true });
  try {
    const holders = "SELECT process FROM leases WHERE name LIKE 'gateway:%' AND holder IS NOT NULL";
    const row = database.prepare<[], { process: string | null }>(holders).get();
    return row?.process ?? null;
  } catch (error) {
    // A file without tables.
    if (errorCode(error) === 'SQLITE_ERROR') return null;
    throw error;
  } finally {
    database.close();
  }
}

/** Whether any other connection has the file open: with the lock that this takes, there can be none. */
function isOpen(filename: string): boolean {
  const database = new Sqlite(filename, { fileMustExist: true, timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    if (errorCode(error) === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    database.close();
  }
}

/** A gateway of version 0.1.0, which locks a file beside the database. Removes what one that has ended left. */
function earlierVersion(filename: string): ServingProcess | null {
  const [lock, note] = ['.lock', '.process'].map((end) => `${realpathSync(filename)}${end}`) as [string, string];
  if (!existsSync(lock)) return null;
  if (isOpen(lock)) return { process: existsSync(note) ? readFileSync(note, 'utf8') : null };
  for (const file of [lock, note]) rmSync(file, { force: true });
  return null;
}
