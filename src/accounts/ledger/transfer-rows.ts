/** The entries of an account that are no charges: adding one, and reading them in the order of time. */
import type { Knex } from 'knex';
import type { Entry } from '#ledger/ports.ts';
import type { Row } from '#storage/database/values.ts';
import type { BookedEntry } from './book-types.ts';
import { entryColumns, entryFrom } from './entry-record.ts';

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

/** Those of an account, each as its entry, to be narrowed by the columns of `transfers` and selected from. */
export function transferRows(knex: Knex, accountId: string): Knex.QueryBuilder {
  return knex('transfers')
    .join('entries', (on) => {
      on.on('entries.account_id', 'transfers.account_id').on('entries.unique_key', 'transfers.unique_key');
    })
    .where({ 'transfers.account_id': accountId });
}

/** One of these entries. */
export function bookedFrom(row: Row): BookedEntry {
  const { accountId: _account, uniqueKey: _key, ...entry } = entryFrom(row);
  return { ...entry, model: null };
}
