/** The money of all accounts, for metrics. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { MoneyStore, MoneyTotals } from '#observe/ports.ts';
import type { Database } from '#storage/database/database.ts';
import { money, type Row, text } from '#storage/database/values.ts';

/** Read at once: an embedded database is read on the thread of the orders, which waits a millisecond or two. */
const PAGE = 2_000;

/** Adds it up in pages, with other work between them. Rejects when the database does not answer. */
export function createMoneyStore({ knex }: Database, page = PAGE): MoneyStore {
  return {
    async totals(): Promise<MoneyTotals> {
      let [balances, holds] = [0n, 0n];
      for (let after = ''; ; await yieldToOthers()) {
        const rows: Row[] = await knex('accounts')
          .where('id', '>', after)
          .orderBy('id')
          .limit(page)
          .select('id', 'balance', 'held', 'house');
        for (const row of rows) {
          if (Number(row.house) === 1) continue;
          balances += money(row.balance);
          holds += money(row.held);
        }
        const last = rows.at(-1);
        if (rows.length < page || !last) return { balances, holds };
        after = text(last.id);
      }
    },
  };
}
