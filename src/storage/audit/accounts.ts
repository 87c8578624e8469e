/** Points (1), (2) and (7) of the audit: balances, holds, and the sums that are stored beside the rows. */
import type { Knex } from 'knex';
import type { Account } from '#access/principal.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { type Dialect, LIVE } from '../database/dialects/dialect.ts';
import { inPages } from '../database/keyset.ts';
import { int, money, type Row, text, textOrNull } from '../database/values.ts';
import { accountFrom } from '../records/account.ts';
import type { Findings } from './findings.ts';
import { auditTagCounts } from './tags.ts';

const ROWS_PER_READ = 200;

/** Checks every account, in the order of their ids, and returns how many there are. */
export async function auditAccounts(trx: Knex.Transaction, dialect: Dialect, findings: Findings): Promise<number> {
  let count = 0;
  for await (const rows of inPages(() => trx('accounts'), ROWS_PER_READ)) {
    for (const account of findings.read('Account', rows, accountFrom))
      await findings.within(`account ${account.id}`, () => auditAccount(trx, dialect, account, findings));
    count += rows.length;
  }
  return count;
}

async function auditAccount(
  trx: Knex.Transaction,
  dialect: Dialect,
  { id, balance, held }: Account,
  findings: Findings,
): Promise<void> {
  const entries = await entrySums(trx, dialect, id);
  const sum = entries.top_up + entries.refund + entries.charge + entries.reversal;
  if (balance !== sum) findings.add(`Account ${id}: the balance is ${balance}, its entries sum to ${sum}.`);

  const [holds] = await trx('orders')
    .where({ account_id: id, status: 'executing' })
    .whereRaw(LIVE)
    .select(trx.raw('SUM(hold) AS held'));
  const expected = money(holds.held);
  if (held !== expected) findings.add(`Account ${id}: ${held} is held, its executing orders hold ${expected}.`);
  if (held < 0n || held > balance) findings.add(`Account ${id}: ${held} is held of a balance of ${balance}.`);

  const usage = await usageByDay(trx, dialect, id);
  const charged = [...usage.values()].reduce((total, day) => total + day.charged, 0n);
  const net = entries.charge + entries.refundOfOrders;
  if (-net !== charged) findings.add(`Account ${id}: usage rows sum to ${charged}, its entries to ${-net}.`);
  await auditDays(trx, id, usage, findings);
  await auditOrderDays(trx, dialect, id, findings);
  await auditRefunds(trx, id, findings);
  await auditTransfers(trx, id, findings);
  await auditTagCounts(trx, id, findings);
}

interface EntrySums {
  top_up: bigint;
  charge: bigint;
  refund: bigint;
  reversal: bigint;
  refundOfOrders: bigint;
}

async function entrySums(trx: Knex.Transaction, dialect: Dialect, accountId: string): Promise<EntrySums> {
  const { high, low } = dialect.exactSum('amount');
  const rows: Row[] = await trx('entries')
    .where({ account_id: accountId })
    .select('kind', trx.raw(`SUM(${high}) AS high`), trx.raw(`SUM(${low}) AS low`))
    .select(trx.raw('CASE WHEN order_id IS NULL THEN 0 ELSE 1 END AS of_order'))
    .groupByRaw('kind, CASE WHEN order_id IS NULL THEN 0 ELSE 1 END');
  const sums: EntrySums = { top_up: 0n, charge: 0n, refund: 0n, reversal: 0n, refundOfOrders: 0n };
  for (const row of rows) {
    const amount = money(row.high) * 1_000_000_000n + money(row.low);
    const kind = text(row.kind);
    if (kind === 'top_up' || kind === 'charge' || kind === 'refund' || kind === 'reversal') sums[kind] += amount;
    if (kind === 'refund' && int(row.of_order) === 1) sums.refundOfOrders += amount;
  }
  return sums;
}

interface DayUsage {
  readonly requests: number;
  readonly charged: bigint;
}

async function usageByDay(trx: Knex.Transaction, dialect: Dialect, accountId: string): Promise<Map<string, DayUsage>> {
  const { high, low } = dialect.exactSum('charged - refunded');
  const day = `usage_records.created_at_ms - usage_records.created_at_ms % ${DAY_MS}`;
  const rows: Row[] = await trx('usage_records')
    .leftJoin('orders', 'orders.id', 'usage_records.order_id')
    .where({ 'usage_records.account_id': accountId })
    .select('usage_records.model', 'orders.key_id', trx.raw(`${day} AS day_ms`), trx.raw('COUNT(*) AS requests'))
    .select(trx.raw(`SUM(${high}) AS high`), trx.raw(`SUM(${low}) AS low`))
    .groupByRaw(`usage_records.model, orders.key_id, ${day}`);
  const days = new Map<string, DayUsage>();
  for (const row of rows) {
    const charged = money(row.high) * 1_000_000_000n + money(row.low);
    const name = dayName(int(row.day_ms) / DAY_MS, row.model, textOrNull(row.key_id) ?? '');
    days.set(name, { requests: int(row.requests), charged });
  }
  return days;
}

function dayName(day: number, model: unknown, keyId: string): string {
  return `${day} ${text(model)}${keyId === '' ? '' : ` of key ${keyId}`}`;
}

/** The daily sums, from which GET /v1/usage is answered, must match the rows. */
async function auditDays(
  trx: Knex.Transaction,
  accountId: string,
  usage: ReadonlyMap<string, DayUsage>,
  findings: Findings,
): Promise<void> {
  const rows: Row[] = await trx('usage_days').where({ account_id: accountId });
  const kept = new Set<string>();
  for (const row of rows) {
    const name = dayName(int(row.day), row.model, text(row.key_id));
    kept.add(name);
    const day = usage.get(name) ?? { requests: 0, charged: 0n };
    const same = day.requests === int(row.requests) && day.charged === money(row.charged);
    if (!same) findings.add(`Account ${accountId}: the sums of day ${name} are not those of its usage rows.`);
  }
  for (const name of usage.keys()) {
    if (!kept.has(name)) findings.add(`Account ${accountId}: day ${name} has usage rows and no sums.`);
  }
}

/** The refunds of each order must match its usage row. */
async function auditRefunds(trx: Knex.Transaction, accountId: string, findings: Findings): Promise<void> {
  const rows: Row[] = await trx('entries')
    .where({ 'entries.account_id': accountId, 'entries.kind': 'refund' })
    .whereNotNull('entries.order_id')
    .leftJoin('usage_records', 'usage_records.order_id', 'entries.order_id')
    .groupBy('entries.order_id')
    .select('entries.order_id', trx.raw('SUM(amount) AS refunds'), trx.raw('MAX(refunded) AS refunded'));
  for (const row of rows) {
    const [refunds, refunded] = [money(row.refunds), money(row.refunded)];
    if (refunds !== refunded)
      findings.add(`Order ${text(row.order_id)}: ${refunds} was refunded, its usage row shows ${refunded}.`);
  }
}

/** Each entry that is no charge, except those of probes, is in the list of these, at its time, and nothing else is. */
async function auditTransfers(trx: Knex.Transaction, accountId: string, findings: Findings): Promise<void> {
  const all: Row = await trx('entries')
    .where({ account_id: accountId })
    .whereNot({ kind: 'charge' })
    .whereNot('unique_key', 'like', 'house:%')
    .first(trx.raw('COUNT(*) AS number'));
  const listed: Row = await trx('transfers')
    .where({ 'transfers.account_id': accountId })
    .leftJoin('entries', (on) => {
      for (const column of ['account_id', 'unique_key', 'id', 'created_at_ms'])
        on.on(`entries.${column}`, `transfers.${column}`);
    })
    .first(trx.raw('COUNT(*) AS number'), trx.raw('COUNT(entries.id) AS known'));
  const [entries, number, known] = [int(all.number), int(listed.number), int(listed.known)];
  if (entries !== number || number !== known)
    findings.add(`Account ${accountId}: ${number} transfers are listed, ${known} of them as they are, of ${entries}.`);
}

// The daily and hourly totals of orders, from which GET /v1/orders takes its totals, must match the rows.

/** Checks the totals of one account, by day and by hour, including missing ones. */
async function auditOrderDays(
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
      if (!same) findings.add(`Account ${accountId}: the totals of ${name} are not those of its orders.`);
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
