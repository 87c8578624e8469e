/**
 * An audit in a thread of its own, with its own connection: it reads the whole ledger in one snapshot, and must not keep
 * the thread that serves from its work. The thread ends with it.
 */
import { Worker } from 'node:worker_threads';
import type { DataPlace } from '../files/data-stores.ts';
import type { AuditReport } from './index.ts';
import type { SoldMoney } from './sold-money.ts';

/** What is audited. Not against the configuration, which may be another one since: see `sluice audit --against-config`. */
export interface AuditJob {
  readonly databaseUrl: string;
  readonly data: DataPlace;
  readonly nowMs: number;
}

/** What an audit found. */
export interface AuditResult extends Omit<AuditReport, 'ok'> {
  readonly money: SoldMoney;
}

/** What the thread says in the end. */
export type AuditAnswer = { readonly result: AuditResult } | { readonly failure: string };

/** An audit that was begun. */
export interface AuditThread {
  /** Rejects when it cannot be finished, also because it was stopped. */
  readonly result: Promise<AuditResult>;
  stop(): Promise<void>;
}

/** The audit reads in pages and keeps a bounded number of findings. */
const HEAP_MIB = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** Begins an audit. */
export function startAudit(job: AuditJob): AuditThread {
  // Options of the process, such as an input type, apply only to its own main file.
  const options = { workerData: job, execArgv: [], resourceLimits: HEAP_MIB };
  const worker = new Worker(new URL('./audit-worker.ts', import.meta.url), options);
  const result = new Promise<AuditResult>((resolve, reject) => {
    worker.on('message', (answer: AuditAnswer) =>
      'result' in answer ? resolve(answer.result) : reject(new Error(answer.failure)),
    );
    worker.on('error', reject);
    // Does nothing after an answer.
    worker.on('exit', () => reject(new Error('The audit was stopped.')));
  });
  return {
    result,
    async stop() {
      await worker.terminate();
    },
  };
}
