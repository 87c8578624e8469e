/**
 * The worker thread in which a journal on SQLite commits: a commit waits for the fsync and blocks its thread. One
 * message in, one message out, per transaction.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { sqlitePragmas } from '../database/dialects/sqlite.ts';
import { type PackedUnit, packApplied, unpackUnit } from './packed-units.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** The units of one transaction. `again`: some may have committed before. */
export type WorkerRequest = readonly [again: boolean, units: readonly PackedUnit[]];

const connection = new SqliteConnection(() => {
  const database = new Sqlite(String(workerData), { fileMustExist: true });
  for (const pragma of sqlitePragmas) database.pragma(pragma);
  return database.defaultSafeIntegers(true);
});

parentPort?.on('message', (message: WorkerRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  const [again, units] = message;
  parentPort?.postMessage(packApplied(connection.apply(units.map(unpackUnit), again)));
});
