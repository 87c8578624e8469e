/** The money of all accounts, for metrics. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { MoneyTotals } from '#observe/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { inPages } from '#storage/database/keyset.ts';
import { money } from '#storage/database/values.ts';

/** Read at once: an embedded database is read on the thread of the orders, which waits a millisecond or two. */
const PAGE = 2_000;

/** Adds it up in pages, with other work between them, so not at one moment where there are many. Rejects when the database does not answer. */
export async function moneyTotals({ knex }: Database, page = PAGE): Promise<MoneyTotals> {
  let [balances, holds] = [0n, 0n];
  for await (const rows of inPages(() => knex('accounts').select('id', 'balance', 'held', 'house'), page)) {
    for (const row of rows) {
      if (Number(row.house) === 1) continue;
      balances += money(row.balance);
      holds += money(row.held);
    }
    await yieldToOthers();
  }
  return { balances, holds };
}
