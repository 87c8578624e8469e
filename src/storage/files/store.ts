/** Rows of files: reads by index, writes through the journal. Spec 4.8. */

import { RETENTION_DAYS_MAX } from '#base/bounds.ts';
import { inTime, type JournalPort } from '#base/journal.ts';
import { DAY_MS } from '#base/time.ts';
import type { FileIndex, FileRow, FileStore } from '#batches/file.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import type { Row } from '../database/values.ts';
import type { FileUnits } from '../journal/files.ts';
import { fileFrom } from '../records/file.ts';

/** How long the row of a file outlives the expiry of its content. */
const ROWS_KEPT_MS = RETENTION_DAYS_MAX * DAY_MS;
const STEP = 500;

/** The files over `db`. */
export function createFileStore({ knex }: Database, journal: Pick<JournalPort<FileUnits>, 'write'>): FileStore {
  const find = async (accountId: string, id: string): Promise<FileRow | null> => {
    const row: Row | undefined = await knex('files').where({ id }).first();
    return row && row.account_id === accountId ? fileFrom(row) : null;
  };
  return {
    find,

    async list(accountId, { purpose, limit, after }) {
      const query = knex('files').where({ account_id: accountId }).orderBy('id', 'desc').limit(limit);
      if (purpose !== null) query.where({ purpose });
      if (after !== null && (await find(accountId, after))) query.where('id', '<', after);
      const rows: Row[] = await query;
      return rows.map(fileFrom);
    },

    async add(file) {
      await inTime((overdue) => journal.write({ kind: 'file-added', ...file }, overdue));
    },

    async remove(accountId, id) {
      const { result } = await inTime((overdue) => journal.write({ kind: 'file-removed', accountId, id }, overdue));
      return result === 'changed';
    },

    async markGone(accountId, id) {
      const { result } = await journal.write({ kind: 'file-emptied', accountId, id });
      return result === 'changed';
    },
  };
}

/** What the retention cleanup reads of the files in `db`. */
export function createFileIndex({ knex }: Database): FileIndex {
  return {
    async expired(nowMs, { limit, after }) {
      const due = knex('files').where({ content_gone: 0 }).where('expires_at_ms', '<=', nowMs);
      if (after) {
        const { expiresAtMs, id } = after;
        due
          .where('expires_at_ms', '>=', expiresAtMs)
          .where((either) => either.where('expires_at_ms', '>', expiresAtMs).orWhere('id', '>', id));
      }
      const rows: Row[] = await due.orderBy(['expires_at_ms', 'id']).limit(limit);
      return rows.map(fileFrom);
    },

    async oldest(accountId, { limit, after }) {
      const kept = knex('files').where({ account_id: accountId, content_gone: 0 });
      if (after) kept.where('id', '>', after.id);
      const rows: Row[] = await kept.orderBy('id').limit(limit);
      return rows.map(fileFrom);
    },
  };
}

/**
 * Deletes rows of files that expired a month ago and whose content is gone, and returns how many: until then they are
 * answered with 410. A bounded number at a time; safe beside a gateway.
 */
export async function sweepFileRows(db: Database, nowMs: number): Promise<number> {
  for (let swept = 0; ; ) {
    const due = db
      .knex('files')
      .where({ content_gone: 1 })
      .where('expires_at_ms', '<=', nowMs - ROWS_KEPT_MS);
    const fileIds: string[] = await due.limit(STEP).pluck('id');
    if (fileIds.length === 0) return swept;
    swept += await writing(db, (trx) => trx('files').whereIn('id', fileIds).delete());
  }
}
