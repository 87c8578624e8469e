/** Rows of files: reads by index, writes through the journal. Spec 4.8. */

import type { Knex } from 'knex';
import { inTime, type JournalPort } from '#base/journal.ts';
import { type Reach, reachColumns, reaches } from '#base/reach.ts';
import type { FileIndex, FileRow, FileStore } from '#batches/file.ts';
import type { Database } from '../database/database.ts';
import { newestAfter, oldestAfter } from '../database/keyset.ts';
import { int, type Row } from '../database/values.ts';
import type { FileUnits } from '../journal/files.ts';
import { fileFrom } from '../records/batch.ts';
import { readable } from '../records/readable.ts';
import { writtenBytes } from '../results/store.ts';

/** The order of files. The ids of what a batch writes are made with the batch, long before these files are created. */
const CREATED = ['created_at_ms', 'id'] as const;

/** The files over `db`. */
export function createFileStore(db: Database, journal: Pick<JournalPort<FileUnits>, 'write'>): FileStore {
  const { knex } = db;
  const find = async (reach: Reach, id: string): Promise<FileRow | null> => {
    const row: Row | undefined = await knex('files').where({ id }).first();
    const file = row && fileFrom(row);
    return file && reaches(reach, file) ? file : null;
  };
  return {
    find,

    async list(reach, { purpose, limit, after }) {
      const ofSome = purpose === null ? 'files_by_account' : 'files_by_purpose';
      const query = by(db, reach.keyId === null ? ofSome : 'files_by_key')
        .where(reachColumns(reach))
        .limit(limit);
      if (purpose !== null) query.where({ purpose });
      const rows: Row[] = await newestAfter(query, after === null ? null : await find(reach, after), CREATED);
      return readable(rows, fileFrom).read;
    },

    async storedBytes(accountId) {
      const row: Row | undefined = await knex('accounts').where({ id: accountId }).first('stored_bytes');
      return (row ? int(row.stored_bytes) : 0) + ((await writtenBytes(db, accountId)).get(accountId) ?? 0);
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
export function createFileIndex(db: Database): FileIndex {
  const kept = (accountId: string) => by(db, 'files_by_age').where({ account_id: accountId, content_gone: 0 });
  return {
    async expired(nowMs, { limit, after }) {
      const due = by(db, 'files_by_expiry').where({ content_gone: 0 }).where('expires_at_ms', '<=', nowMs).limit(limit);
      const key = after && { createdAtMs: after.expiresAtMs, id: after.id };
      const rows: Row[] = await oldestAfter(due, key, ['expires_at_ms', 'id']);
      return rows.map(fileFrom);
    },

    async oldest(accountId, { limit, after }) {
      const rows: Row[] = await oldestAfter(kept(accountId).limit(limit), after, CREATED);
      return rows.map(fileFrom);
    },

    async newest(accountId, { limit, after }) {
      const rows: Row[] = await newestAfter(kept(accountId).limit(limit), after, CREATED);
      return rows.map(fileFrom);
    },
  };
}

function by({ knex, dialect }: Database, index: string): Knex.QueryBuilder {
  return knex.from(knex.raw(dialect.by('files', index)));
}
