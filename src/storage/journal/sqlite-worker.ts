/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { type FileIdentity, fileAt, leadsTo, placeOf } from '../database/served-file.ts';
import { bootFence } from '../leases/fence.ts';
import { type PackedUnit, packApplied, unpackUnit } from './packed-units.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** The units of one transaction. `again`: some may have committed before. */
export type WorkerRequest = readonly [again: boolean, units: readonly PackedUnit[]];

/** Of which file, and under which boot epoch, if another gateway might take it over. */
export interface WorkerData {
  readonly filename: string;
  readonly boot: number | null;
}

const { filename, boot }: WorkerData = workerData;
const fence = boot === null ? null : bootFence(boot, () => parentPort?.postMessage('lost'));
let file: FileIdentity | null = null;

const connection = new SqliteConnection(() => {
  const database = new Sqlite(filename, { fileMustExist: true });
  file = fileAt(filename);
  for (const pragma of sqlitePragmas) database.pragma(pragma);
  return database.defaultSafeIntegers(true);
}, fence);

/** What a deleted file holds, nobody finds again: no caller may hear that it was stored. */
const DELETED = { results: [], failure: `The file ${filename} was deleted.` };

parentPort?.on('message', (message: WorkerRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  const [again, units] = message;
  const applied = connection.apply(units.map(unpackUnit), again);
  const isKept = file === null || leadsTo(filename, file) || placeOf(file) !== null;
  parentPort?.postMessage(packApplied(isKept ? applied : DELETED));
});
