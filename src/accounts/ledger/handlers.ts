/** The books of an account: what it has, every movement, and the statement of a month; and the transfers of all accounts. */

import type { Account } from '#access/principal.ts';
import { Fault } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd } from '#base/money.ts';
import { DAY_MS, iso } from '#base/time.ts';
import { accountIdOf, handlersOf } from '#contract/call.ts';
import { cursorPage, timeBefore, timeKey } from '#contract/cursor-page.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { AccountBooks, type AccountStanding, type AccountStatement, type AccountTransfer } from './books.ts';
import type { BookedEntry } from './entry-rows.ts';

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

/** getBalance, listEntries and getStatement, for members; listAccountEntries, listAccountDays and listTransfers, for the operator. */
export function ledgerHandlers(
  database: OperatorOptions,
  /** Throws Fault not_found. */
  findAccount: (id: string) => Promise<Account>,
  issuer: StatementIssuer,
) {
  const { clock } = database;
  const books = new AccountBooks(database);
  const entriesOf = async (accountId: string, query: QueryOf<'listEntries'>) => {
    const { only, limit, cursor } = query;
    const scope = `entries ${accountId} ${only}`;
    const found = await books.entries(accountId, { only, limit: limit + 1, after: timeBefore(scope, cursor) });
    const { page, more } = cursorPage(found, { limit, scope }, timeKey);
    return { status: 200 as const, json: { object: 'list', data: page.map(entryObject), ...more } };
  };
  return handlersOf({
    async getBalance(call) {
      return { status: 200, json: balanceObject(await books.standing(accountIdOf(call))) };
    },

    listEntries: (call) => entriesOf(accountIdOf(call), call.call.query),

    async getStatement(call) {
      const asked = { accountId: accountIdOf(call), month: call.call.params.month };
      return { status: 200, json: await statementObject(books, asked, { nowMs: clock.nowMs(), ...issuer }) };
    },

    async listAccountEntries({ call }) {
      const { id } = await findAccount(call.params.id);
      return entriesOf(id, call.query);
    },

    async listAccountDays({ call }) {
      const { id } = await findAccount(call.params.id);
      const data = (await books.days(id)).map(({ day, requests, charged }) => ({
        ...{ day: iso(day * DAY_MS).slice(0, 10), requests },
        charged_usd: nanoToUsd(charged),
      }));
      return { status: 200, json: { object: 'list', account_id: id, data } };
    },

    async listTransfers({ call }) {
      const { limit, cursor } = call.query;
      const found = await books.allTransfers({ limit: limit + 1, after: timeBefore('transfers', cursor) });
      const { page, more } = cursorPage(found, { limit, scope: 'transfers' }, timeKey);
      return { status: 200, json: { object: 'list', data: page.map(transferObject), ...more } };
    },
  });
}

/** Who issues statements, and what they say of tax; null for nothing. */
export interface StatementIssuer {
  readonly issuer: string | null;
  readonly tax: string | null;
}

/** The last characters of the id of an account, which are random, in the number of a statement. */
const NUMBER_LENGTH = 12;

/** The statement of a month such as `2026-11`, as members see it. Throws Fault not_found. */
export async function statementObject(
  books: AccountBooks,
  { accountId, month }: { readonly accountId: string; readonly month: string },
  { nowMs, issuer, tax }: StatementIssuer & { readonly nowMs: number },
) {
  const { fromMs, toMs } = monthOf(month, nowMs);
  const statement = await books.statement(accountId, { fromMs, toMs });
  return {
    ...{ object: 'statement', month, number: `${month}-${accountId.slice(-NUMBER_LENGTH)}` },
    ...{ from: iso(fromMs).slice(0, 10), to: iso(toMs - 1).slice(0, 10), issuer, tax },
    ...{ account_id: accountId, complete: nowMs >= toMs },
    ...statementFields(statement),
  };
}

function balanceObject({ balance, held, owed, burnPerDay }: AccountStanding) {
  const free = balance - held;
  return {
    object: 'balance',
    balance_usd: nanoToUsd(balance),
    held_usd: nanoToUsd(held),
    free_usd: nanoToUsd(free),
    owed_usd: nanoToUsd(owed),
    burn_usd_per_day: nanoToUsd(burnPerDay),
    days_left: burnPerDay > 0n ? Number((free * 10n) / burnPerDay) / 10 : null,
  };
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
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      model,
      requests,
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

function transferObject({ id, accountId, accountName, kind, amount, orderId, reason, createdAtMs }: AccountTransfer) {
  return {
    object: 'entry',
    entry_id: id,
    account_id: accountId,
    account_name: accountName,
    kind,
    amount_usd: nanoToUsd(amount),
    order_id: orderId,
    reason,
    created_at: iso(createdAtMs),
  };
}
