/** The transfers of all accounts, for the operator: a page is a short range of an index, however many there are. */

import type { Database } from '#storage/database/database.ts';
import type { Row } from '#storage/database/values.ts';
import type { BookedEntry, EntryKey } from './book-types.ts';
import { entryFrom } from './entry-record.ts';

/** An entry of an account that is no charge. */
export type AccountTransfer = Omit<BookedEntry, 'model'> & { readonly accountId: string };

/** The transfers of all accounts. */
export interface AllTransfers {
  /** The newest first, after the one with this time and id. */
  list(page: { readonly limit: number; readonly after: EntryKey | null }): Promise<AccountTransfer[]>;
}

/** The transfers in a database. */
export function createAllTransfers({ knex, dialect }: Database): AllTransfers {
  return {
    async list({ limit, after }) {
      const query = knex(knex.raw(dialect.by('transfers', 'transfers_by_time')));
      // The first condition is for the index: neither database finds a range in the second.
      if (after)
        query
          .where('transfers.created_at_ms', '<=', after.createdAtMs)
          .where((either) =>
            either.where('transfers.created_at_ms', '<', after.createdAtMs).orWhere('transfers.id', '<', after.id),
          );
      const rows: Row[] = await query
        .join('entries', (on) => {
          on.on('entries.account_id', 'transfers.account_id').on('entries.unique_key', 'transfers.unique_key');
        })
        .orderBy([
          { column: 'transfers.created_at_ms', order: 'desc' },
          { column: 'transfers.id', order: 'desc' },
        ])
        .limit(limit)
        .select('entries.*');
      return rows.map((row): AccountTransfer => {
        const { uniqueKey: _key, ...entry } = entryFrom(row);
        return entry;
      });
    },
  };
}
