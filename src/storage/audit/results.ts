/** Point (11) of the audit: every stored, unexpired result exists, as a row or as a blob, and has its order. */
import type { Knex } from 'knex';
import type { FileContents } from '#batches/file.ts';
import { type BlobStore, blobNames } from '../blobs/blob-store.ts';
import { ownerless } from '../cleanup/sweep-unowned.ts';
import type { Database } from '../database/database.ts';
import { inPages } from '../database/keyset.ts';
import { int, intOrNull, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

const ROWS_PER_READ = 500;

/** Checks blobs against the rows of the snapshot; faults are read again, since the gateway may be running. */
export async function auditResults(
  parts: { trx: Knex.Transaction; db: Database; blobs: Pick<BlobStore, 'has' | 'list'>; nowMs: number },
  findings: Findings,
): Promise<void> {
  const { trx, db, blobs, nowMs } = parts;
  const stored = () =>
    trx('orders').where({ status: 'done', result_state: 'stored' }).select('id', 'attempt', 'result_expires_at_ms');
  for await (const rows of inPages(stored, ROWS_PER_READ)) {
    const ids = rows.map((row) => text(row.id));
    const inRows = new Set<string>(await trx('stored_answers').whereIn('order_id', ids).pluck('order_id'));
    for (const row of rows) {
      if (inRows.has(text(row.id))) continue;
      const expiresAtMs = intOrNull(row.result_expires_at_ms);
      const living = expiresAtMs === null || expiresAtMs > nowMs;
      if (
        living &&
        !(await hasBlob(blobs, row)) &&
        (await isStill(db.knex('orders').where({ id: row.id, result_state: 'stored' })))
      ) {
        findings.add(`Order ${text(row.id)}: its result is promised and its body is not there.`);
      }
    }
  }
  for await (const names of blobs.list()) {
    for (let start = 0; start < names.length; start += ROWS_PER_READ) {
      for (const name of await ownerless(db, names.slice(start, start + ROWS_PER_READ))) {
        findings.add(`The body ${name} belongs to no living result.`);
      }
    }
  }
}

async function hasBlob(blobs: Pick<BlobStore, 'has'>, { id, attempt }: Row): Promise<boolean> {
  for (const name of blobNames(text(id), int(attempt))) if (await blobs.has(name)) return true;
  return false;
}

/** Compares promised results, recorded results and result rows with the orders. */
export async function auditEntries(trx: Knex.Transaction, findings: Findings): Promise<void> {
  // An order that outlives its caller is done only once its result exists.
  const broken = trx('orders').where({ status: 'done', result_state: 'promised', outlives: 1 }).select('id');
  await findings.each(broken, (row) => `Order ${text(row.id)} is done and its promised result was never stored.`);
  // A stored result without its row in the index would never be deleted.
  const missing = trx('orders')
    .leftJoin('results', (join) =>
      join
        .on('results.account_id', 'orders.account_id')
        .andOn('results.finished_at_ms', 'orders.finished_at_ms')
        .andOn('results.order_id', 'orders.id'),
    )
    .where('orders.result_state', 'stored')
    .whereNull('results.order_id')
    .select('orders.id');
  await findings.each(missing, (row) => `Order ${text(row.id)}: its result is stored and not entered.`);
  // A result's row is written and deleted with its order's result.
  const strays = trx('stored_answers')
    .leftJoin('orders', 'orders.id', 'stored_answers.order_id')
    .where((either) => either.whereNull('orders.id').orWhereNot('orders.result_state', 'stored'))
    .select('stored_answers.order_id AS order_id');
  await findings.each(strays, (row) => `The body ${text(row.order_id)} belongs to no living result.`);
}

async function isStill(listed: Knex.QueryBuilder): Promise<boolean> {
  return (await listed.first('id')) !== undefined;
}

/** The stored size of an account, which its cap limits, must be that of its results and files. */
export async function auditSizes(trx: Knex.Transaction, findings: Findings): Promise<void> {
  for await (const accounts of inPages(() => trx('accounts'), ROWS_PER_READ)) {
    const ids = accounts.map((row) => text(row.id));
    const kept = new Map<string, number>();
    for (const items of [trx('results'), trx('files').where({ content_gone: 0 })]) {
      const ofAccounts = items.whereIn('account_id', ids).groupBy('account_id');
      const sums: Row[] = await ofAccounts.select('account_id', trx.raw('SUM(bytes) AS bytes'));
      for (const { account_id, bytes } of sums)
        kept.set(text(account_id), (kept.get(text(account_id)) ?? 0) + int(bytes));
    }
    for (const row of accounts) {
      const [counted, bytes] = [int(row.stored_bytes), kept.get(text(row.id)) ?? 0];
      if (counted !== bytes) findings.add(`Account ${text(row.id)}: ${counted} bytes are counted, ${bytes} are kept.`);
    }
  }
}

/** Checks the disk against the rows of the snapshot; faults are read again, since the gateway may be running. */
export async function auditFiles(
  parts: { trx: Knex.Transaction; db: Database; contents: Pick<FileContents, 'read'> },
  findings: Findings,
): Promise<void> {
  const { trx, db, contents } = parts;
  for await (const rows of inPages(() => trx('files').where({ content_gone: 0 }).select('id'), ROWS_PER_READ))
    for (const id of rows.map((row) => text(row.id)))
      if (!(await isReadable(contents, id)) && (await isStill(db.knex('files').where({ id, content_gone: 0 }))))
        findings.add(`File ${id}: its content is promised and is not there.`);
}

async function isReadable(contents: Pick<FileContents, 'read'>, id: string): Promise<boolean> {
  try {
    await Array.fromAsync(contents.read(id, { end: 1 }));
    return true;
  } catch {
    return false;
  }
}
