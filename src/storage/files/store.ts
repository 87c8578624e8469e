/** Rows of files: reads by index, writes through the journal. Spec 4.8. */

import type { Knex } from 'knex';
import { inTime, type JournalPort } from '#base/journal.ts';
import { type Reach, reachColumns, reaches } from '#base/reach.ts';
import type { FileIndex, FileRow, FileStore } from '#batches/file.ts';
import type { Database } from '../database/database.ts';
import { keyOf, newestAfter, oldestAfter } from '../database/keyset.ts';
import { int, type Row, text } from '../database/values.ts';
import type { FileUnits } from '../journal/files.ts';
import { fileFrom } from '../records/batch.ts';
import { RowReader } from '../records/readable.ts';
import { writtenBytes } from '../results/store.ts';

/** The order of files. The ids of what a batch writes are made with the batch, long before these files are created. */
const CREATED = ['created_at_ms', 'id'] as const;

/** The files over `db`. */
export function createFileStore(db: Database, journal: Pick<JournalPort<FileUnits>, 'write'>): FileStore {
  const { knex } = db;
  const reader = new RowReader(db, 'files', fileFrom);
  const find = async (reach: Reach, id: string): Promise<FileRow | null> => {
    const row: Row | undefined = await knex('files').where({ id }).first();
    const file = row && reader.one(row);
    return file && reaches(reach, file) ? file : null;
  };
  return {
    find,

    async list(reach, { purpose, limit, after }) {
      const ofSome = purpose === null ? 'files_by_account' : 'files_by_purpose';
      const begin = after === null ? null : await find(reach, after);
      return reader.page(limit, (last) => {
        const query = by(db, reach.keyId === null ? ofSome : 'files_by_key')
          .where({ ...reachColumns(reach), ...(purpose === null ? {} : { purpose }) })
          .limit(limit);
        return newestAfter(query, last ? keyOf(last) : begin, CREATED);
      });
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
  const reader = new RowReader(db, 'files', fileFrom);
  const kept = (accountId: string) => by(db, 'files_by_age').where({ account_id: accountId, content_gone: 0 });
  return {
    async expired(nowMs, { limit, after }) {
      const begin = after && { createdAtMs: after.expiresAtMs, id: after.id };
      return reader.page(limit, (last) => {
        const due = by(db, 'files_by_expiry').where({ content_gone: 0 }).where('expires_at_ms', '<=', nowMs);
        const key = last ? { createdAtMs: int(last.expires_at_ms), id: text(last.id) } : begin;
        return oldestAfter(due.limit(limit), key, ['expires_at_ms', 'id']);
      });
    },

    async oldest(accountId, { limit, after }) {
      return reader.page(limit, (last) =>
        oldestAfter(kept(accountId).limit(limit), last ? keyOf(last) : after, CREATED),
      );
    },

    async newest(accountId, { limit, after }) {
      return reader.page(limit, (last) =>
        newestAfter(kept(accountId).limit(limit), last ? keyOf(last) : after, CREATED),
      );
    },
  };
}

function by({ knex, dialect }: Database, index: string): Knex.QueryBuilder {
  return knex.from(knex.raw(dialect.by('files', index)));
}
