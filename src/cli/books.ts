/** `sluice account entries` and `account statement`, and `order show`: what the pages show of the books, from the database. */
import { AccountBooks } from '#accounts/ledger/books.ts';
import { entryObject, statementObject } from '#accounts/ledger/handlers.ts';
import type { Clock } from '#base/clock.ts';
import { formatUsd, type UsdJson } from '#base/money.ts';
import { operatorOrder } from '#handlers/operator-order.ts';
import { listSold } from '#storage/orders/sold.ts';
import { findOrderIn } from '#storage/orders/store.ts';
import type { OperatorStore } from './operator-store.ts';
import { type CommandResult, facts, table, timeText, WrongValue } from './output.ts';

const ENTRIES_MAX = 1_000;

/** `account entries`: the newest movements of money. Throws WrongValue, Fault not_found. */
export async function listEntries(
  { db, accounts }: OperatorStore,
  { id, limit: typed }: { readonly id: string; readonly limit: string },
  clock: Clock,
): Promise<CommandResult> {
  const limit = /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  if (limit < 1 || limit > ENTRIES_MAX)
    throw new WrongValue(`--limit is ${typed}; write a whole number from 1 to ${ENTRIES_MAX}.`);
  await accounts.show(id);
  const entries = await new AccountBooks({ db, clock }).entries(id, { only: null, limit, after: null });
  const rows = entries.map(({ createdAtMs, kind, amount, orderId, model, reason }) => [
    timeText(createdAtMs),
    kind,
    formatUsd(amount),
    orderId ?? '',
    model ?? reason ?? '',
  ]);
  const text = rows.length === 0 ? 'There is no entry yet.' : table(['AT', 'KIND', 'USD', 'ORDER', 'FOR'], rows);
  return { json: { entries: entries.map(entryObject) }, text };
}

/** `account statement`: a month, as the owner's page shows it. Throws Fault not_found. */
export async function showStatement(
  { db }: OperatorStore,
  { id, month }: { readonly id: string; readonly month: string },
  clock: Clock,
): Promise<CommandResult> {
  const asked = { accountId: id, month };
  // The issuer is in the configuration of the gateway, which commands do not need.
  const by = { nowMs: clock.nowMs(), issuer: null, tax: null };
  const statement = await statementObject(new AccountBooks({ db, clock }), asked, by);
  const { name, opening_usd, closing_usd, sums, by_model, complete } = statement;
  const usd = (amount: UsdJson) => `$${JSON.stringify(amount)}`;
  const lines = [
    ['account', `${id} (${name})`],
    ['month', complete ? month : `${month}, not over yet`],
    ['opening', usd(opening_usd)],
    ['credited', usd(sums.top_up_usd)],
    ...by_model.map(
      ({ model, requests, amount_usd }) => [`${model}`, `${usd(amount_usd)} for ${requests} requests`] as const,
    ),
    ['refunded', usd(sums.refund_usd)],
    ['taken back', usd(sums.reversal_usd)],
    ['closing', usd(closing_usd)],
  ] as const;
  return { json: statement, text: facts(lines) };
}

/**
 * `order show`: an order as the operator's page shows it, by its id, its request, or another id that only it has. Throws
 * WrongValue where several have it, Fault not_found.
 */
export async function showOrder({ db }: OperatorStore, anyId: string): Promise<CommandResult> {
  const filter = { statuses: null, model: null, idPrefix: null, anyId, tag: null };
  const { orders } = await listSold(db, filter, { after: null, limit: 2 });
  if (orders.length > 1)
    throw new WrongValue(`Several orders have the id ${anyId}; npx sluice order list ${anyId} lists them.`);
  const { json } = await operatorOrder({ id: orders[0]?.id ?? anyId }, findOrderIn(db));
  return { json: { ...json }, text: JSON.stringify(json, null, 2) };
}
