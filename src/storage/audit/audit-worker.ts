/** The thread of an audit: one job in, one answer out. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#base/clock.ts';
import { openDatabase } from '../database/database.ts';
import { openDataStores } from '../files/data-stores.ts';
import type { AuditAnswer, AuditJob, AuditResult } from './audit-thread.ts';
import { audit } from './index.ts';
import { soldMoney } from './sold-money.ts';

/** Runs at a lower priority than the serving process. Elsewhere it would be the priority of the whole process. */
const NICE = 15;
/** How long a request to a bucket may take when nobody waits. */
const REQUEST_MS = 60_000;

if (process.platform === 'linux') setPriority(NICE);
parentPort?.postMessage(await answerTo(workerData as AuditJob));

async function answerTo(job: AuditJob): Promise<AuditAnswer> {
  try {
    return { result: await audited(job) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function audited({ databaseUrl, data, nowMs }: AuditJob): Promise<AuditResult> {
  const db = openDatabase(databaseUrl);
  const { results, contents, bucket } = await openDataStores(data, { clock: systemClock, deadlineMs: REQUEST_MS });
  try {
    const { ok: _, ...report } = await audit(db, results, { nowMs, contents });
    return { ...report, money: await soldMoney(db, nowMs) };
  } finally {
    bucket?.close();
    await db.close();
  }
}
