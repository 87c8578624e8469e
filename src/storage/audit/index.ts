/**
 * The audit: proves from the database alone that money and states are right, in one read snapshot, while the gateway
 * runs, in bounded memory. It computes charges itself and repairs nothing. docs/understand/lifecycle.md.
 */
import type { Knex } from 'knex';
import { systemClock } from '#base/clock.ts';
import type { FileContents } from '#batches/file.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { inPages } from '../database/keyset.ts';
import { lastWrittenMs } from '../database/last-written.ts';
import { reading } from '../database/transaction.ts';
import { plainKeyFrom } from '../records/account.ts';
import { fileFrom } from '../records/batch.ts';
import { auditAccounts } from './accounts.ts';
import { auditBatches } from './batches.ts';
import { acknowledgedIds, Findings } from './findings.ts';
import { auditModelTokens } from './model-tokens.ts';
import { auditOrders } from './orders.ts';
import { auditPayments } from './payments.ts';
import { auditPods, LiveChanges } from './pods.ts';
import { auditPriceChains } from './price-chains.ts';
import { auditLevels, auditQuotes, type LevelBounds } from './quotes.ts';
import { auditEntries, auditFiles, auditResults, auditSizes } from './results.ts';
import { auditTags } from './tags.ts';

export type { LevelBounds } from './quotes.ts';

const ROWS_PER_READ = 250;

/** What was checked and what is wrong, one sentence each; at most 1,001 of them. */
export interface AuditReport {
  readonly ok: boolean;
  readonly accounts: number;
  readonly orders: number;
  readonly findings: readonly string[];
  /** How many findings the operator has acknowledged; they are not among `findings`. */
  readonly acknowledged: number;
}

/** What only the configuration knows; without it some checks are wider or left out. */
export interface AuditOptions {
  readonly bounds?: ReadonlyMap<string, LevelBounds>;
  readonly slots?: ReadonlyMap<string, number>;
  /** Results that expire by then count as expired; now when absent. */
  readonly nowMs?: number;
  /** The contents of files; without them neither they nor the lines in them are checked. */
  readonly contents?: Pick<FileContents, 'read'>;
}

/** Audits `db`, and the results in `blobs` unless it is null. */
export async function audit(
  db: Database,
  blobs: Pick<BlobStore, 'has' | 'list'> | null,
  options: AuditOptions = {},
): Promise<AuditReport> {
  const {
    bounds = new Map(),
    slots = new Map(),
    nowMs = Math.max(systemClock.nowMs(), await lastWrittenMs(db)),
    contents = null,
  } = options;
  const findings = new Findings(await acknowledgedIds(db.knex));
  const counted = await reading(db, async (trx) => {
    const accounts = await auditAccounts(trx, db.dialect, findings);
    const part = (what: string, check: () => Promise<void>) => findings.within(what, check);
    await part('payments', () => auditPayments(trx, findings));
    const orders = await auditOrders(trx, findings);
    await part('tags', () => auditTags(trx, findings));
    await part('statistics', () => auditModelTokens(trx, nowMs, findings));
    const changes = bounds.size > 0 || slots.size > 0 ? await LiveChanges.read(trx, findings) : null;
    const since = (model: string) => changes?.boundsSinceMs(model) ?? 0;
    const inForce = new Map([...bounds].map(([model, own]) => [model, { ...own, sinceMs: since(model) }]));
    await part('levels', () => auditLevels(trx, inForce, findings));
    await part('quotes', () => auditQuotes(trx, inForce, findings));
    await part('price chains', () => auditPriceChains(trx, findings));
    await part('pods', () => auditPods(trx, { slots, changes }, findings));
    await part('results', () => auditEntries(trx, findings));
    await part('sizes', () => auditSizes(trx, findings));
    await part('batches', () => auditBatches(trx, contents, findings));
    await auditRows(trx, findings);
    if (contents) await auditFiles({ trx, db, contents }, findings);
    if (blobs) await auditResults({ trx, db, blobs, nowMs }, findings);
    return { accounts, orders };
  });
  const list = findings.list();
  return { ok: list.length === 0, ...counted, findings: list, acknowledged: findings.acknowledged };
}

/** The rows that no other part reads whole. */
async function auditRows(trx: Knex.Transaction, findings: Findings): Promise<void> {
  for await (const rows of inPages(() => trx('files'), ROWS_PER_READ)) findings.read('File', rows, fileFrom);
  for await (const rows of inPages(() => trx('api_keys'), ROWS_PER_READ)) findings.read('Key', rows, plainKeyFrom);
}
