/**
 * Point (8) of the audit: a line has at most one order and an order one line, the counts of a batch match its lines,
 * and a batch that has ended has each of its lines in one of its files, once.
 */
import type { Knex } from 'knex';
import { type BatchRow, isActive } from '#batches/batch.ts';
import type { FileContents } from '#batches/file.ts';
import { inPages } from '../database/keyset.ts';
import { flag, int, type Row, text } from '../database/values.ts';
import { batchFrom } from '../records/batch.ts';
import type { Findings } from './findings.ts';

const PAGE = 100;
const LF = 10;

/** How many lines a batch has, by state. */
const LINES = `
  COUNT(*) AS counted, COUNT(lines.order_id) AS with_order, COUNT(DISTINCT lines.order_id) AS with_own_order,
  SUM(CASE WHEN orders.id IS NULL AND lines.order_id IS NOT NULL THEN 1 ELSE 0 END) AS orphans,
  SUM(CASE WHEN orders.status IN ('queued', 'executing') THEN 1 ELSE 0 END) AS active,
  SUM(CASE WHEN orders.status = 'done' AND (lines.placed IS NULL OR lines.placed = 'output') THEN 1 ELSE 0 END)
    AS completed,
  SUM(CASE WHEN COALESCE(lines.status, orders.status) = 'expired' THEN 1 ELSE 0 END) AS expired,
  SUM(CASE WHEN COALESCE(lines.status, orders.status) = 'canceled' THEN 1 ELSE 0 END) AS canceled,
  SUM(CASE WHEN lines.placed = 'output' THEN 1 ELSE 0 END) AS in_output,
  SUM(CASE WHEN lines.placed = 'errors' THEN 1 ELSE 0 END) AS in_errors`;

/** Checks every batch, and the lines in its files where `contents` is given. */
export async function auditBatches(
  trx: Knex.Transaction,
  contents: Pick<FileContents, 'read'> | null,
  findings: Findings,
): Promise<void> {
  const orders = await ordersByBatch(trx);
  for await (const rows of inPages(() => trx('batches'), PAGE)) {
    for (const batch of findings.read('Batch', rows, batchFrom)) {
      const lines = await linesOf(trx, batch.id);
      auditCounts(batch, lines, findings);
      auditOrders(batch, lines, orders.get(batch.id) ?? 0, findings);
      if (contents) await auditFiles({ trx, contents }, batch, lines, findings);
    }
  }
}

/** How many orders each batch has, by one scan of the index of batches. */
async function ordersByBatch(trx: Knex.Transaction): Promise<ReadonlyMap<string, number>> {
  const rows: Row[] = await trx('orders')
    .whereNotNull('batch_id')
    .groupBy('batch_id')
    .select('batch_id')
    .count('* AS orders');
  return new Map(rows.map((row) => [text(row.batch_id), int(row.orders)]));
}

type Lines = Readonly<Record<string, number>>;

async function linesOf(trx: Knex.Transaction, batchId: string): Promise<Lines> {
  const row: Row = await trx('batch_lines AS lines')
    .leftJoin('orders', (join) => join.on('orders.id', 'lines.order_id').andOn('orders.batch_id', 'lines.batch_id'))
    .where('lines.batch_id', batchId)
    .first(trx.raw(LINES));
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, int(value ?? 0)]));
}

function auditCounts(batch: BatchRow, lines: Lines, findings: Findings): void {
  const { counts } = batch;
  const { counted = 0, active = 0, completed = 0, in_output = 0, in_errors = 0 } = lines;
  const are = {
    ...{ active, completed, failed: counted - active - completed },
    ...{ expired: lines.expired ?? 0, canceled: lines.canceled ?? 0, placed: in_output + in_errors },
  };
  for (const [name, count] of Object.entries(are)) {
    const counted = counts[name as keyof typeof counts];
    if (counted !== count) findings.add(`Batch ${batch.id} counts ${counted} lines as ${name} and has ${count}.`);
  }
  if (isActive(batch)) return;
  const whole = counts.total === counted && active === 0 && are.placed === counted;
  if (!whole || in_output !== completed)
    findings.add(`Batch ${batch.id} has ended with ${counts.total} lines, but ${are.placed} are in its files.`);
}

function auditOrders({ id }: BatchRow, lines: Lines, orders: number, findings: Findings): void {
  const paired = lines.orphans === 0 && lines.with_order === lines.with_own_order && lines.with_order === orders;
  if (!paired) findings.add(`Batch ${id} has ${orders} orders for ${lines.with_order} of its lines.`);
}

async function auditFiles(
  { trx, contents }: { trx: Knex.Transaction; contents: Pick<FileContents, 'read'> },
  batch: BatchRow,
  lines: Lines,
  findings: Findings,
): Promise<void> {
  const { accountId, outputFileId, errorFileId, sizes } = batch;
  const files = [
    { id: outputFileId, bytes: sizes.outputBytes, placed: lines.in_output ?? 0 },
    { id: errorFileId, bytes: sizes.errorBytes, placed: lines.in_errors ?? 0 },
  ];
  for (const { id, bytes, placed } of files) {
    const row: Row | undefined = await trx('files').where({ account_id: accountId, id }).first();
    if (row && int(row.bytes) !== bytes) findings.add(`File ${id} is not as long as batch ${batch.id} says.`);
    const isKept = isActive(batch) || (row !== undefined && !flag(row.content_gone));
    if (!isKept) continue;
    const found = await linesIn(contents, id, bytes);
    if (found !== placed) findings.add(`File ${id} of batch ${batch.id} has ${found} lines instead of ${placed}.`);
  }
}

/** How many lines the first `bytes` of a file have; -1 when it is shorter, or cannot be read. */
async function linesIn(contents: Pick<FileContents, 'read'>, fileId: string, bytes: number): Promise<number> {
  if (bytes === 0) return 0;
  let [lines, read] = [0, 0];
  try {
    for await (const chunk of contents.read(fileId, { end: bytes })) {
      read += chunk.length;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) lines++;
    }
  } catch {
    return -1;
  }
  return read === bytes ? lines : -1;
}
