/**
 * Compares the receipts that clients keep with the ledger. Whether the ledger adds up says nothing about a commit that was
 * lost as a whole, as by a restored copy or a replica that was behind: only who was answered knows of it.
 */
import type { Database } from '../database/database.ts';
import { int, type Row, text } from '../database/values.ts';
import { acknowledgedIds, Findings } from './findings.ts';

/** A receipt that a client keeps, in nano-dollars. */
export interface KeptReceipt {
  readonly orderId: string;
  /** Where it is kept, to be named in a finding. */
  readonly place: string;
  readonly charged: number;
  readonly level: number;
  readonly bid: number;
}

/** A place whose receipts cannot be read; `why` is a sentence. */
export interface UnreadablePlace {
  readonly place: string;
  readonly why: string;
}

/** What was compared, and what the ledger lacks or says otherwise, one sentence each. */
export interface ReceiptReport {
  readonly receipts: number;
  readonly findings: readonly string[];
  /** How many findings the operator has acknowledged; they are not among `findings`. */
  readonly acknowledged: number;
}

const ROWS_PER_READ = 250;

/**
 * Compares each receipt, in bounded memory. The ledger is read after its receipts were, and not in one snapshot, so that a
 * gateway may go on serving and its clients keeping receipts.
 */
export async function compareReceipts(
  db: Database,
  kept: AsyncIterable<KeptReceipt | UnreadablePlace>,
): Promise<ReceiptReport> {
  const findings = new Findings(await acknowledgedIds(db.knex));
  let receipts = 0;
  let page: KeptReceipt[] = [];
  for await (const each of kept) {
    if ('why' in each) {
      findings.add(`${each.place}: ${each.why}`);
      continue;
    }
    receipts++;
    page.push(each);
    if (page.length < ROWS_PER_READ) continue;
    await comparePage(db, page, findings);
    page = [];
  }
  await comparePage(db, page, findings);
  return { receipts, findings: findings.list(), acknowledged: findings.acknowledged };
}

async function comparePage({ knex }: Database, page: readonly KeptReceipt[], findings: Findings): Promise<void> {
  const rows: Row[] = await knex('orders')
    .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
    .whereIn(
      'orders.id',
      page.map(({ orderId }) => orderId),
    )
    .select('orders.id', 'orders.status', 'orders.bid', 'usage_records.charged', {
      level: 'usage_records.level_at_execution',
    });
  const orders = new Map(rows.map((row) => [text(row.id), row]));
  for (const receipt of page) {
    const fault = faultOf(receipt, orders.get(receipt.orderId));
    if (fault !== null) findings.add(`Order ${receipt.orderId}: ${fault} (receipt in ${receipt.place}).`);
  }
}

function faultOf(receipt: KeptReceipt, row: Row | undefined): string | null {
  const { charged, level, bid } = receipt;
  if (row === undefined) return `its receipt says ${charged} nano-dollars, and the database has no such order`;
  if (row.charged === null) return `its receipt says ${charged} nano-dollars, and it is ${row.status} without a charge`;
  const differences = [
    ['charged', charged, int(row.charged)],
    ['level_at_execution', level, int(row.level)],
    ['bid', bid, int(row.bid)],
  ] as const;
  const wrong = differences.filter(([, said, stored]) => said !== stored);
  if (wrong.length === 0) return null;
  const told = wrong.map(([name, said, stored]) => `${name} ${said}, and the database ${stored}`);
  return `its receipt says ${told.join('; ')}`;
}
