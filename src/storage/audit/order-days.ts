/** The daily and hourly totals of orders, from which GET /v1/orders takes its totals, must match the rows. */

import type { Knex } from 'knex';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { Dialect } from '../database/dialects/dialect.ts';
import { int, money, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/** Checks the totals of one account, by day and by hour, including missing ones. */
export async function auditOrderDays(
  trx: Knex.Transaction,
  dialect: Dialect,
  accountId: string,
  findings: Findings,
): Promise<void> {
  for (const unit of units) {
    const expected = new Map((await sumsOfRows(trx, dialect, accountId, unit)).map((row) => [nameOf(row, unit), row]));
    const rows: Row[] = await trx(`order_${unit.name}s`).where({ account_id: accountId });
    for (const row of rows) {
      const name = nameOf(row, unit);
      const sum = expected.get(name);
      expected.delete(name);
      const same = sum ? figures(row) === figures(sum) : int(row.orders) === 0;
      findings.unless(same, () => `Account ${accountId}: the totals of ${name} are not those of its orders.`);
    }
    for (const name of expected.keys()) findings.add(`Account ${accountId}: orders of ${name} are in no totals.`);
  }
}

const units = [
  { name: 'day', ms: DAY_MS },
  { name: 'hour', ms: HOUR_MS },
] as const;
type Unit = (typeof units)[number];

async function sumsOfRows(trx: Knex.Transaction, dialect: Dialect, accountId: string, unit: Unit): Promise<Row[]> {
  const { high, low } = dialect.exactSum('at_bid');
  const groups = [
    `orders.created_at_ms - orders.created_at_ms % ${unit.ms}`,
    'orders.model',
    'kind',
    'status',
    'CASE WHEN batch_id IS NULL THEN 0 ELSE 1 END',
    'CASE WHEN price_limit IS NULL THEN 0 ELSE 1 END',
  ];
  return trx('orders')
    .leftJoin('usage_records', 'usage_records.order_id', 'orders.id')
    .where({ 'orders.account_id': accountId })
    .whereNotIn('status', ['queued', 'executing'])
    .groupByRaw(groups.join(', '))
    .select(
      trx.raw(`(${groups[0]}) / ${unit.ms} AS ${unit.name}`),
      'orders.model',
      'kind',
      'status',
      trx.raw(`${groups[4]} AS in_batch`),
      trx.raw(`${groups[5]} AS market`),
      trx.raw('COUNT(*) AS orders'),
      trx.raw('SUM(charged - refunded) AS charged'),
      trx.raw(`SUM(${high}) AS at_bid_usd`),
      trx.raw(`SUM(${low}) AS at_bid_nano`),
    );
}

function nameOf(row: Row, unit: Unit): string {
  const flags = `${int(row.in_batch) === 1 ? 'batch' : 'single'} ${int(row.market) === 1 ? 'market' : 'fixed'}`;
  return `${unit.name} ${int(row[unit.name])} ${text(row.model)} ${text(row.kind)} ${text(row.status)} ${flags}`;
}

function figures(row: Row): string {
  const atBid = money(row.at_bid_usd) * 1_000_000_000n + money(row.at_bid_nano);
  return `${int(row.orders)} ${money(row.charged)} ${atBid}`;
}
