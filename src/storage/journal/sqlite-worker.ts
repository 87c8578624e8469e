/**
 * The thread in which a journal on SQLite commits: a commit waits for the disk and blocks whoever makes it. One message
 * in, one message out, per batch.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { JournalUnit } from '#orders/journal-port.ts';
import { SqliteConnection } from './sqlite-connection.ts';

interface Order {
  readonly units: readonly JournalUnit[];
  readonly again: boolean;
}

const connection = new SqliteConnection(String(workerData));

parentPort?.on('message', (message: Order | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(connection.apply(message.units, message.again));
});
