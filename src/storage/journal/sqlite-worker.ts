/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { type FileIdentity, fileAt, leadsTo, placeOf } from '../database/served-file.ts';
import { bootFence } from '../leases/fence.ts';
import { Checkpoints } from './checkpoints.ts';
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
const checkpoints = new Checkpoints(filename);
let file: FileIdentity | null = null;
let opened: Sqlite.Database | null = null;

const connection = new SqliteConnection(() => {
  const database = new Sqlite(filename, { fileMustExist: true });
  file = fileAt(filename);
  for (const pragma of sqlitePragmas) database.pragma(pragma);
  opened = database;
  return database.defaultSafeIntegers(true);
}, fence);

/** A commit to a deleted file is lost: no caller may be answered that it was stored. */
const DELETED = { results: [], failure: `The file ${filename} was deleted.` };

parentPort?.on('message', (message: WorkerRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    void checkpoints.close().then(() => parentPort?.close());
    return;
  }
  const [again, units] = message;
  const applied = connection.apply(units.map(unpackUnit), again);
  const isThere = file === null || leadsTo(filename, file);
  // Its log may not have moved with it. A log that is missed alone is left to the check of each second, as it holds
  // earlier commits, too: asking for it here would cost each commit 1 %.
  if (!isThere) opened?.pragma('wal_checkpoint(PASSIVE)');
  const isKept = isThere || (file !== null && placeOf(file) !== null);
  parentPort?.postMessage(packApplied(isKept ? applied : DELETED));
  checkpoints.committed(units.length);
});
