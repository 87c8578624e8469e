/**
 * What an account may see of its books. Charges are read from the usage records, all other entries from `transfers`: both
 * are in the order of time, so a page is two short ranges however many entries there are.
 */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { Entry } from '#ledger/entry.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { newestAfter, newestFirst, type RowKey } from '#storage/database/keyset.ts';
import { dayOf } from '#storage/database/periods.ts';
import { reading } from '#storage/database/transaction.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { accountRow } from '#storage/records/account.ts';
import { type BookedEntry, bookedFrom, entryFrom, transferRows, withEntries } from './entry-rows.ts';

/** Over how many days the pace is taken. */
const BURN_DAYS = 7;
const TRANSFER_KEY = ['transfers.created_at_ms', 'transfers.id'] as const;

/** What an account has now. */
export interface AccountStanding {
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
  readonly owed: NanoUsd;
  /** Charged, less refunds, per day of the last seven; of a younger account per day of its age, at least one. */
  readonly burnPerDay: NanoUsd;
}

/** How many days the operator sees of an account, as of all accounts. */
const DAYS_SHOWN = 35;

/** What an account was charged on a day, counted from the epoch. */
export interface AccountDay {
  readonly day: number;
  readonly requests: number;
  readonly charged: NanoUsd;
}

/** One page of entries. */
export interface EntryPage {
  /** `charges` of orders, or `transfers`: all others. Null for both. */
  readonly only: 'charges' | 'transfers' | null;
  readonly limit: number;
  readonly after: RowKey | null;
}

/** An entry of an account that is no charge, with the name of the account. */
export interface AccountTransfer extends Omit<Entry, 'uniqueKey'> {
  readonly accountName: string;
}

/** Reads the books. An account that does not exist is a Fault not_found. */
export class AccountBooks {
  readonly #parts: Pick<OperatorOptions, 'db' | 'clock'>;

  constructor(parts: Pick<OperatorOptions, 'db' | 'clock'>) {
    this.#parts = parts;
  }

  async standing(accountId: string): Promise<AccountStanding> {
    const nowMs = this.#parts.clock.nowMs();
    const row = await accountRow(this.#parts.db.knex, accountId);
    const first = dayOf(nowMs) - BURN_DAYS + 1;
    const days = this.#parts.db.knex('usage_days').where({ account_id: accountId }).where('day', '>=', first);
    const [spent]: Row[] = await days.sum({ charged: 'charged' });
    const ageMs = Math.max(DAY_MS, nowMs - Math.max(first * DAY_MS, int(row.created_at_ms)));
    return {
      balance: money(row.balance),
      held: money(row.held),
      owed: money(row.owed),
      burnPerDay: (money(spent?.charged) * BigInt(DAY_MS)) / BigInt(ageMs),
    };
  }

  /** Newest first. */
  async entries(accountId: string, page: EntryPage): Promise<BookedEntry[]> {
    const { knex } = this.#parts.db;
    const [charges, transfers] = await Promise.all([
      page.only === 'transfers' ? [] : chargesOf(knex, accountId, page),
      page.only === 'charges' ? [] : transfersOf(knex, accountId, page),
    ]);
    return [...charges, ...transfers].sort(newestFirst).slice(0, page.limit);
  }

  /** From `fromMs` up to and without `toMs`, both the beginning of a UTC day, read from one snapshot. */
  statement(accountId: string, period: { readonly fromMs: number; readonly toMs: number }): Promise<AccountStatement> {
    return reading(this.#parts.db, (trx) => statementOf(trx, accountId, period));
  }

  /** What was charged on each of the last 35 days (UTC), net of refunds, the oldest first. */
  async days(accountId: string): Promise<AccountDay[]> {
    const first = dayOf(this.#parts.clock.nowMs()) - DAYS_SHOWN + 1;
    const days = this.#parts.db.knex('usage_days').where({ account_id: accountId }).where('day', '>=', first);
    const rows: Row[] = await days
      .groupBy('day')
      .orderBy('day')
      .select('day')
      .sum({ requests: 'requests', charged: 'charged' });
    return rows.map((row) => ({ day: int(row.day), requests: int(row.requests), charged: money(row.charged) }));
  }

  /** The transfers of all accounts, newest first: a page is a short range of an index, however many there are. */
  async allTransfers({ limit, after }: Pick<EntryPage, 'limit' | 'after'>): Promise<AccountTransfer[]> {
    const { knex, dialect } = this.#parts.db;
    const byTime = withEntries(knex(knex.raw(dialect.by('transfers', 'transfers_by_time'))));
    const rows: Row[] = await newestAfter(byTime, after, TRANSFER_KEY)
      .join('accounts', 'accounts.id', 'transfers.account_id')
      .limit(limit)
      .select('entries.*', 'accounts.name AS account_name');
    return rows.map((row): AccountTransfer => {
      const { uniqueKey: _key, ...entry } = entryFrom(row);
      return { ...entry, accountName: text(row.account_name) };
    });
  }
}

async function chargesOf(knex: Knex, accountId: string, { limit, after }: EntryPage): Promise<BookedEntry[]> {
  const charges = knex('usage_records').where({ account_id: accountId });
  const rows: Row[] = await newestAfter(charges, after, ['created_at_ms', 'order_id'])
    .limit(limit)
    .select('order_id', 'model', 'charged', 'created_at_ms');
  return rows.map((row) => ({
    id: text(row.order_id),
    kind: 'charge',
    amount: -money(row.charged),
    orderId: text(row.order_id),
    model: text(row.model),
    reason: null,
    createdAtMs: int(row.created_at_ms),
  }));
}

async function transfersOf(knex: Knex, accountId: string, { limit, after }: EntryPage): Promise<BookedEntry[]> {
  const transfers = newestAfter(transferRows(knex, accountId), after, TRANSFER_KEY);
  return (await transfers.limit(limit).select('entries.*')).map(bookedFrom);
}

// The statement of a period, from sums by day. Those are net of refunds, wherever in time the refunds are; an entry is not.
// So what a day was charged is its sum and the refunds of its orders, which `transfers.charged_day` finds.

/** How many entries that are no charges a statement lists. */
const LISTED_MAX = 500;

/** The charges of a model on a day. */
interface DayCharges {
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
async function statementOf(
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
