/** The rows of ledger entries. An entry that is no charge has a second row in `transfers`, in the order of time. */
import type { Knex } from 'knex';
import type { Entry } from '#ledger/entry.ts';
import { codec } from '#storage/database/codec.ts';
import { int, money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';

/** An entry as its account sees it. */
export interface BookedEntry extends Omit<Entry, 'accountId' | 'uniqueKey'> {
  /** Of a charge. */
  readonly model: string | null;
}

/** The entries. */
export const { from: entryFrom, some: entryColumns } = codec<Entry>({
  id: text,
  accountId: text,
  kind: oneOf(['top_up', 'charge', 'refund', 'reversal']),
  amount: money,
  orderId: textOrNull,
  uniqueKey: text,
  reason: textOrNull,
  createdAtMs: int,
});

/**
 * Adds an entry that is no charge, with its place in the list of these. `chargedDay`: of a refund of an order, the UTC day
 * on which that was charged, whose sum is net of it.
 */
export async function insertTransfer(trx: Knex.Transaction, entry: Entry, chargedDay: number | null): Promise<void> {
  const { accountId, uniqueKey, id, createdAtMs } = entry;
  await trx('entries').insert(entryColumns(entry));
  await trx('transfers').insert({
    ...entryColumns({ accountId, uniqueKey, id, createdAtMs }),
    charged_day: chargedDay,
  });
}

/** A query for the transfers of an account, each as its entry. Callers add conditions on `transfers` and select. */
export function transferRows(knex: Knex, accountId: string): Knex.QueryBuilder {
  return withEntries(knex('transfers')).where({ 'transfers.account_id': accountId });
}

/** Rows of `transfers`, each with its entry. */
export function withEntries(transfers: Knex.QueryBuilder): Knex.QueryBuilder {
  return transfers.join('entries', (on) => {
    on.on('entries.account_id', 'transfers.account_id').on('entries.unique_key', 'transfers.unique_key');
  });
}

/** One of these entries. */
export function bookedFrom(row: Row): BookedEntry {
  const { accountId: _account, uniqueKey: _key, ...entry } = entryFrom(row);
  return { ...entry, model: null };
}
