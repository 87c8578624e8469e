/** The download allowance as it is kept: read once per account and boot, written through the journal. */
import type { DownloadStore } from '#access/ports.ts';
import type { JournalPort } from '#orders/journal-port.ts';
import type { Database } from './database.ts';
import { int, type Row } from './values.ts';

/** The store over `db`; `save` resolves when the figures have committed. */
export function createDownloadStore({ knex }: Database, journal: JournalPort): DownloadStore {
  return {
    async load(accountId) {
      const row: Row | undefined = await knex('downloads').where({ account_id: accountId }).first();
      return row ? { usedBytes: int(row.used_bytes), atMs: int(row.at_ms) } : null;
    },
    async save(accountId, { usedBytes, atMs }) {
      await journal.write({ kind: 'download', accountId, usedBytes, atMs });
    },
  };
}
