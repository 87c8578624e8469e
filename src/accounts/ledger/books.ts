/**
 * What an account may see of its books. Charges are read from the usage records, all other entries from `transfers`: both
 * are in the order of time, so a page is two short ranges however many entries there are.
 */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import type { NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { Entry } from '#ledger/entry.ts';
import type { Database } from '#storage/database/database.ts';
import { newestAfter, newestFirst, type RowKey } from '#storage/database/keyset.ts';
import { dayOf } from '#storage/database/periods.ts';
import { reading } from '#storage/database/transaction.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { accountRow } from '#storage/records/account.ts';
import { type BookedEntry, bookedFrom, entryFrom, transferRows, withEntries } from './entry-rows.ts';
import { type AccountStatement, statementOf } from './statements.ts';

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

/** One page of entries. */
export interface EntryPage {
  /** `charges` of orders, or `transfers`: all others. Null for both. */
  readonly only: 'charges' | 'transfers' | null;
  readonly limit: number;
  readonly after: RowKey | null;
}

/** An entry of an account that is no charge. */
export type AccountTransfer = Omit<Entry, 'uniqueKey'>;

/** Reads the books. An account that does not exist is a Fault not_found. */
export class AccountBooks {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  standing(accountId: string): Promise<AccountStanding> {
    return standingOf(this.#db.knex, accountId, this.#clock.nowMs());
  }

  /** Newest first. */
  async entries(accountId: string, page: EntryPage): Promise<BookedEntry[]> {
    const { knex } = this.#db;
    const [charges, transfers] = await Promise.all([
      page.only === 'transfers' ? [] : chargesOf(knex, accountId, page),
      page.only === 'charges' ? [] : transfersOf(knex, accountId, page),
    ]);
    return [...charges, ...transfers].sort(newestFirst).slice(0, page.limit);
  }

  /** From `fromMs` up to and without `toMs`, both the beginning of a UTC day, read from one snapshot. */
  statement(accountId: string, period: { readonly fromMs: number; readonly toMs: number }): Promise<AccountStatement> {
    return reading(this.#db, (trx) => statementOf(trx, accountId, period));
  }

  /** The transfers of all accounts, newest first: a page is a short range of an index, however many there are. */
  async allTransfers({ limit, after }: Pick<EntryPage, 'limit' | 'after'>): Promise<AccountTransfer[]> {
    const { knex, dialect } = this.#db;
    const byTime = withEntries(knex(knex.raw(dialect.by('transfers', 'transfers_by_time'))));
    const rows: Row[] = await newestAfter(byTime, after, TRANSFER_KEY).limit(limit).select('entries.*');
    return rows.map((row): AccountTransfer => {
      const { uniqueKey: _key, ...entry } = entryFrom(row);
      return entry;
    });
  }
}

async function standingOf(knex: Knex, accountId: string, nowMs: number): Promise<AccountStanding> {
  const row = await accountRow(knex, accountId);
  const first = dayOf(nowMs) - BURN_DAYS + 1;
  const spent: Row = await knex('usage_days')
    .where({ account_id: accountId })
    .where('day', '>=', first)
    .first(knex.raw('SUM(charged) AS charged'));
  const ageMs = Math.max(DAY_MS, nowMs - Math.max(first * DAY_MS, int(row.created_at_ms)));
  return {
    balance: money(row.balance),
    held: money(row.held),
    owed: money(row.owed),
    burnPerDay: (money(spent.charged) * BigInt(DAY_MS)) / BigInt(ageMs),
  };
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
