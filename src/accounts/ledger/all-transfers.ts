/** The transfers of all accounts, for the operator: a page is a short range of an index, however many there are. */

import type { Database } from '#storage/database/database.ts';
import type { Row } from '#storage/database/values.ts';
import type { AccountTransfer, AllTransfers } from '../account/operator-ports.ts';
import { entryFrom } from './entry-record.ts';

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
