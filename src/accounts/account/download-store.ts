/** Stores the download allowance: read once per account and boot, written through the journal. */
import type { DownloadStore } from '#access/downloads.ts';
import { inTime, type JournalPort } from '#base/journal.ts';
import type { Database } from '#storage/database/database.ts';
import { int, type Row } from '#storage/database/values.ts';
import type { DownloadUnits } from '#storage/journal/downloads.ts';

/** The store over `db`; `save` resolves when the figures have committed. */
export function createDownloadStore({ knex }: Database, journal: JournalPort<DownloadUnits>): DownloadStore {
  return {
    async load(accountId) {
      const row: Row | undefined = await knex('downloads').where({ account_id: accountId }).first();
      return row ? { usedBytes: int(row.used_bytes), atMs: int(row.at_ms) } : null;
    },
    async save(accountId, { usedBytes, atMs }) {
      await inTime((overdue) => journal.write({ kind: 'download', accountId, usedBytes, atMs }, overdue));
    },
  };
}
