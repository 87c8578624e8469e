/** The books of the member's account: what it has, every movement, and the statement of a month. */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd } from '#base/money.ts';
import { DAY_MS, iso } from '#base/time.ts';
import { accountIdOf } from '#contract/console.ts';
import { cursorPage, timeBefore, timeKey } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import type { AccountBooks, AccountStatement, BookedEntry } from './book-types.ts';

/** What these handlers need. */
export interface LedgerOptions {
  readonly books: AccountBooks;
  readonly clock: Clock;
}

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

/** getBalance, listEntries and getStatement. */
export function ledgerHandlers(options: LedgerOptions): HandlersFor<'getBalance' | 'listEntries' | 'getStatement'> {
  const { books, clock } = options;
  return {
    async getBalance(call) {
      const { balance, held, owed, burnPerDay } = await books.standing(accountIdOf(call));
      const free = balance - held;
      const json = {
        object: 'balance',
        balance_usd: nanoToUsd(balance),
        held_usd: nanoToUsd(held),
        free_usd: nanoToUsd(free),
        owed_usd: nanoToUsd(owed),
        burn_usd_per_day: nanoToUsd(burnPerDay),
        days_left: burnPerDay > 0n ? Number((free * 10n) / burnPerDay) / 10 : null,
      };
      return { status: 200, json };
    },

    listEntries: (call) => entriesReply(books, accountIdOf(call), call.call.query),

    async getStatement(call) {
      const accountId = accountIdOf(call);
      const month = call.call.params.month;
      const { fromMs, toMs } = monthOf(month, clock.nowMs());
      const statement = await books.statement(accountId, { fromMs, toMs });
      const about = { object: 'statement', month, account_id: accountId, complete: clock.nowMs() >= toMs };
      return { status: 200, json: { ...about, ...statementFields(statement) } };
    },
  };
}

/** One page of the entries of an account, as the query asks for it. */
export async function entriesReply(
  books: Pick<AccountBooks, 'entries'>,
  accountId: string,
  query: QueryOf<'listEntries'>,
): Promise<JsonReply<JsonOf<'listEntries'>, 200>> {
  const { only, limit } = query;
  const scope = `entries ${accountId} ${only}`;
  const after = timeBefore(scope, query.cursor);
  const found = await books.entries(accountId, { only, limit: limit + 1, after });
  const { page, more } = cursorPage(found, { limit, scope }, timeKey);
  return { status: 200, json: { object: 'list', data: page.map(entryObject), ...more } };
}

/** Throws Fault not_found for what is no month, or one that has not begun. */
function monthOf(month: string, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const [, year, number] = MONTH.exec(month) ?? [];
  const fromMs = Date.UTC(Number(year), Number(number) - 1);
  if (year === undefined || fromMs > nowMs)
    throw new Fault('not_found', {
      message: 'There is no statement of this month; a month is written as 2026-11, in UTC.',
    });
  return { fromMs, toMs: Date.UTC(Number(year), Number(number)) };
}

function statementFields({ name, opening, closing, sums, charges, transfers, transfersLeftOut }: AccountStatement) {
  const models = new Map<string, { requests: number; amount: NanoUsd }>();
  for (const { model, requests, amount } of charges) {
    const sum = models.get(model) ?? { requests: 0, amount: 0n };
    models.set(model, { requests: sum.requests + requests, amount: sum.amount + amount });
  }
  return {
    name,
    opening_usd: nanoToUsd(opening),
    closing_usd: nanoToUsd(closing),
    sums: {
      top_up_usd: nanoToUsd(sums.top_up),
      charge_usd: nanoToUsd(sums.charge),
      refund_usd: nanoToUsd(sums.refund),
      reversal_usd: nanoToUsd(sums.reversal),
    },
    by_model: [...models].map(([model, { requests, amount }]) => ({ model, requests, amount_usd: nanoToUsd(amount) })),
    charges: charges.map(({ day, model, requests, amount }) => ({
      ...{ date: iso(day * DAY_MS).slice(0, 10), model, requests },
      amount_usd: nanoToUsd(amount),
    })),
    entries: transfers.map(entryObject),
    entries_left_out: transfersLeftOut,
  };
}

/** An entry as members see it. */
export function entryObject({ id, kind, amount, orderId, model, reason, createdAtMs }: BookedEntry) {
  return {
    object: 'entry',
    entry_id: id,
    kind,
    amount_usd: nanoToUsd(amount),
    order_id: orderId,
    model,
    reason,
    created_at: iso(createdAtMs),
  };
}
