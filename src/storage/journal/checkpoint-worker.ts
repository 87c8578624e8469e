/**
 * The thread that moves commits from the log into the database file beside the thread that makes them. SQLite itself does
 * so within a commit, once the log has 8,000 pages: it then finds little left to do. One message starts one checkpoint.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const database = new Sqlite(workerData as string, { fileMustExist: true });

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // A full or failing disk: nothing is lost, and what commits meets it, too.
  }
  parentPort?.postMessage('done');
});
