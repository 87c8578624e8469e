/**
 * What an account may see of its books. Charges are read from the usage records, all other entries from `transfers`: both
 * are in the order of time, so a page is two short ranges however many entries there are.
 */
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import { DAY_MS } from '#base/time.ts';
import type { Database } from '#storage/database/database.ts';
import { dayOf } from '#storage/database/periods.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { noAccount } from '#storage/records/account.ts';
import type { AccountBooks, AccountStanding, BookedEntry, EntryKey, EntryPage } from './book-types.ts';
import { statementOf } from './statements.ts';
import { bookedFrom, transferRows } from './transfer-rows.ts';

/** Over how many days the pace is taken. */
const BURN_DAYS = 7;

/** The books over a database. */
export function createAccountBooks({
  db: { knex },
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): AccountBooks {
  return {
    standing: (accountId) => standingOf(knex, accountId, clock.nowMs()),

    async entries(accountId, page) {
      const [charges, transfers] = await Promise.all([
        page.only === 'transfers' ? [] : chargesOf(knex, accountId, page),
        page.only === 'charges' ? [] : transfersOf(knex, accountId, page),
      ]);
      return [...charges, ...transfers].sort(newestFirst).slice(0, page.limit);
    },

    // A read-only transaction, so that all parts are read from one snapshot.
    statement: (accountId, period) => knex.transaction((trx) => statementOf(trx, accountId, period)),
  };
}

async function standingOf(knex: Knex, accountId: string, nowMs: number): Promise<AccountStanding> {
  const row: Row | undefined = await knex('accounts').where({ id: accountId }).first();
  if (!row) throw noAccount(accountId);
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
  const query = knex('usage_records').where({ account_id: accountId });
  if (after) before(query, after, ['created_at_ms', 'order_id']);
  const rows: Row[] = await query
    .orderBy([
      { column: 'created_at_ms', order: 'desc' },
      { column: 'order_id', order: 'desc' },
    ])
    .limit(limit)
    .select('order_id', 'model', 'charged', 'created_at_ms');
  return rows.map((row) => ({
    ...{ id: text(row.order_id), kind: 'charge', amount: -money(row.charged), orderId: text(row.order_id) },
    ...{ model: text(row.model), reason: null, createdAtMs: int(row.created_at_ms) },
  }));
}

async function transfersOf(knex: Knex, accountId: string, { limit, after }: EntryPage): Promise<BookedEntry[]> {
  const query = transferRows(knex, accountId);
  if (after) before(query, after, ['transfers.created_at_ms', 'transfers.id']);
  const rows: Row[] = await query
    .orderBy([
      { column: 'transfers.created_at_ms', order: 'desc' },
      { column: 'transfers.id', order: 'desc' },
    ])
    .limit(limit)
    .select('entries.*');
  return rows.map(bookedFrom);
}

/** The first condition is for the index: neither database finds a range in the second. */
function before(
  query: Knex.QueryBuilder,
  { createdAtMs, id }: EntryKey,
  [time, name]: readonly [string, string],
): void {
  query.where(time, '<=', createdAtMs).where((either) => either.where(time, '<', createdAtMs).orWhere(name, '<', id));
}

function newestFirst(one: EntryKey, other: EntryKey): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id < other.id ? 1 : -1;
}
