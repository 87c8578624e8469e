/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { type FileIdentity, fileAt, leadsTo, placeOf } from '../database/served-file.ts';
import { bootFence } from '../leases/fence.ts';
import { type PackedUnit, packApplied, unpackUnit } from './packed-units.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** The units of one transaction. `again`: some may have committed before. */
export type WorkerRequest = readonly [again: boolean, units: readonly PackedUnit[]];

/** The file, and the boot epoch if another gateway might take it over. */
export interface WorkerData {
  readonly filename: string;
  readonly boot: number | null;
}

const { filename, boot }: WorkerData = workerData;
const fence = boot === null ? null : bootFence(boot, () => parentPort?.postMessage('lost'));
let file: FileIdentity | null = null;
/** The log of the last commits. */
let log: { readonly path: string; readonly file: FileIdentity | null } | null = null;
let opened: Sqlite.Database | null = null;

const connection = new SqliteConnection(() => {
  const database = new Sqlite(filename, { fileMustExist: true });
  file = fileAt(filename);
  for (const pragma of sqlitePragmas) database.pragma(pragma);
  const path = `${realpathSync(filename)}-wal`;
  log = { path, file: fileAt(path) };
  opened = database;
  return database.defaultSafeIntegers(true);
}, fence);

/** What a deleted file holds, nobody finds again: no caller may learn that it was stored. */
const DELETED = { results: [], failure: `The file ${filename} was deleted.` };

parentPort?.on('message', (message: WorkerRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  const [again, units] = message;
  const applied = connection.apply(units.map(unpackUnit), again);
  const isThere = file === null || leadsTo(filename, file);
  const hasLog = !log?.file || leadsTo(log.path, log.file);
  // Nobody finds a commit again that is only in a log which was moved or deleted.
  if (!isThere || !hasLog) opened?.pragma('wal_checkpoint(PASSIVE)');
  const isKept = isThere || (file !== null && placeOf(file) !== null);
  parentPort?.postMessage(packApplied(isKept ? applied : DELETED));
});
