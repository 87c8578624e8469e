/**
 * The statement of a period, from sums by day. Those are net of refunds, wherever in time the refunds are; an entry is not.
 * So what a day was charged is its sum and the refunds of its orders, which `transfers.charged_day` finds.
 */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/entry.ts';
import { dayOf } from '#storage/database/periods.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { accountRow } from '#storage/records/account.ts';
import { type BookedEntry, bookedFrom, transferRows } from './entry-rows.ts';

/** How many entries that are no charges a statement lists. */
export const LISTED_MAX = 500;

/** The charges of a model on a day. */
export interface DayCharges {
  /** Since the epoch, UTC. */
  readonly day: number;
  readonly model: string;
  readonly requests: number;
  /** At most 0. Refunds are entries of their own and not taken off. */
  readonly amount: NanoUsd;
}

/** A month of an account. Opening balance and sums make the closing balance. */
export interface AccountStatement {
  readonly name: string;
  readonly opening: NanoUsd;
  readonly closing: NanoUsd;
  readonly sums: Readonly<Record<BookedEntry['kind'], NanoUsd>>;
  /** By day, then model. */
  readonly charges: readonly DayCharges[];
  /** The oldest first, a bounded number. */
  readonly transfers: readonly BookedEntry[];
  readonly transfersLeftOut: number;
}

/** See `AccountBooks`. All reads are of the transaction. */
export async function statementOf(
  trx: Knex.Transaction,
  accountId: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<AccountStatement> {
  const account = await accountRow(trx, accountId, 'name');
  const [from, to] = [dayOf(fromMs), dayOf(toMs)];
  const charges = await dayCharges(trx, accountId, from, to);
  const moved = await transferSums(trx, accountId, fromMs, toMs);
  const charge = charges.reduce((sum, { amount }) => sum + amount, 0n);
  const sums = { ...moved.sums, charge };
  const opening = await balanceBefore(trx, accountId, fromMs);
  const listed = await oldest(trx, accountId, fromMs, toMs);
  return {
    name: text(account.name),
    opening,
    closing: opening + sums.charge + sums.top_up + sums.refund + sums.reversal,
    sums,
    charges,
    transfers: listed,
    transfersLeftOut: moved.count - listed.length,
  };
}

/** By day and model, before any refund. */
async function dayCharges(trx: Knex.Transaction, accountId: string, from: number, to: number): Promise<DayCharges[]> {
  const rows: Row[] = await trx('usage_days')
    .where({ account_id: accountId })
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy('day', 'model')
    .orderBy(['day', 'model'])
    .select('day', 'model', trx.raw('SUM(requests) AS requests'), trx.raw('SUM(charged) AS charged'));
  const refunds: Row[] = await transferRows(trx, accountId)
    .where('transfers.charged_day', '>=', from)
    .where('transfers.charged_day', '<', to)
    .join('usage_records', 'usage_records.order_id', 'entries.order_id')
    .groupBy('transfers.charged_day', 'usage_records.model')
    .select('transfers.charged_day', 'usage_records.model', trx.raw('SUM(entries.amount) AS refunded'));
  const refunded = new Map(refunds.map((row) => [`${row.charged_day} ${row.model}`, money(row.refunded)]));
  return rows.map((row) => ({
    day: int(row.day),
    model: text(row.model),
    requests: int(row.requests),
    amount: -(money(row.charged) + (refunded.get(`${row.day} ${row.model}`) ?? 0n)),
  }));
}

type MovedSums = Record<Exclude<Entry['kind'], 'charge'>, NanoUsd>;

async function transferSums(
  trx: Knex.Transaction,
  accountId: string,
  fromMs: number,
  toMs: number,
): Promise<{ sums: MovedSums; count: number }> {
  const rows: Row[] = await within(transferRows(trx, accountId), fromMs, toMs)
    .groupBy('entries.kind')
    .select('entries.kind', trx.raw('SUM(entries.amount) AS amount'), trx.raw('COUNT(*) AS number'));
  const sums: MovedSums = { top_up: 0n, refund: 0n, reversal: 0n };
  for (const row of rows) sums[text(row.kind) as keyof MovedSums] = money(row.amount);
  return { sums, count: rows.reduce((sum, row) => sum + int(row.number), 0) };
}

async function oldest(trx: Knex.Transaction, accountId: string, fromMs: number, toMs: number): Promise<BookedEntry[]> {
  const rows: Row[] = await within(transferRows(trx, accountId), fromMs, toMs)
    .orderBy(['transfers.created_at_ms', 'transfers.id'])
    .limit(LISTED_MAX)
    .select('entries.*');
  return rows.map(bookedFrom);
}

/** The sum of all entries before: sums by day, the refunds that they are net of, and transfers. */
async function balanceBefore(trx: Knex.Transaction, accountId: string, fromMs: number): Promise<NanoUsd> {
  const days: Row = await trx('usage_days')
    .where({ account_id: accountId })
    .where('day', '<', dayOf(fromMs))
    .first(trx.raw('SUM(charged) AS charged'));
  const refunds: Row = await transferRows(trx, accountId)
    .where('transfers.charged_day', '<', dayOf(fromMs))
    .first(trx.raw('SUM(entries.amount) AS refunded'));
  const { sums } = await transferSums(trx, accountId, 0, fromMs);
  return sums.top_up + sums.refund + sums.reversal - money(days.charged) - money(refunds.refunded);
}

function within(query: Knex.QueryBuilder, fromMs: number, toMs: number): Knex.QueryBuilder {
  return query.where('transfers.created_at_ms', '>=', fromMs).where('transfers.created_at_ms', '<', toMs);
}
