/** Rows of files: reads by index, writes through the journal. Spec 4.8. */

import { inTime, type JournalPort } from '#base/journal.ts';
import { type Reach, reachColumns, reaches } from '#base/reach.ts';
import type { FileIndex, FileRow, FileStore } from '#batches/file.ts';
import type { Database } from '../database/database.ts';
import { int, type Row } from '../database/values.ts';
import type { FileUnits } from '../journal/files.ts';
import { fileFrom } from '../records/batch.ts';

/** The files over `db`. */
export function createFileStore({ knex }: Database, journal: Pick<JournalPort<FileUnits>, 'write'>): FileStore {
  const find = async (reach: Reach, id: string): Promise<FileRow | null> => {
    const row: Row | undefined = await knex('files').where({ id }).first();
    const file = row && fileFrom(row);
    return file && reaches(reach, file) ? file : null;
  };
  return {
    find,

    async list(reach, { purpose, limit, after }) {
      const query = knex('files').where(reachColumns(reach)).orderBy('id', 'desc').limit(limit);
      if (purpose !== null) query.where({ purpose });
      if (after !== null && (await find(reach, after))) query.where('id', '<', after);
      const rows: Row[] = await query;
      return rows.map(fileFrom);
    },

    async storedBytes(accountId) {
      const row: Row | undefined = await knex('accounts').where({ id: accountId }).first('stored_bytes');
      return row ? int(row.stored_bytes) : 0;
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
