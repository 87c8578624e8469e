/**
 * Units of files: their rows, and what every account stores in all. Content is written before the unit that adds it,
 * and deleted after the unit that marks it as gone: a row never promises content that is missing.
 */
import type { PlainOutcome } from '#base/journal.ts';
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import { flag, int, type Row } from '../database/values.ts';
import type { BalanceBatch } from './balance-batch.ts';
import type { Context } from './context.ts';
import { first, run, type Steps } from './steps.ts';

/** The units of files. */
export interface FileUnits {
  readonly 'file-added': { readonly unit: FileAddedUnit; readonly outcome: PlainOutcome };
  readonly 'file-removed': { readonly unit: FileRemovedUnit; readonly outcome: PlainOutcome };
  readonly 'file-emptied': { readonly unit: FileEmptiedUnit; readonly outcome: PlainOutcome };
}

/** Adds a file whose content exists, and counts it towards what its account stores. */
interface FileAddedUnit {
  readonly kind: 'file-added';
  readonly accountId: string;
  readonly id: string;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** Deletes the row of a file; its content may be deleted after the commit. */
interface FileRemovedUnit {
  readonly kind: 'file-removed';
  readonly accountId: string;
  readonly id: string;
}

/** A file's content no longer counts and may be deleted after the commit; its row stays. */
interface FileEmptiedUnit {
  readonly kind: 'file-emptied';
  readonly accountId: string;
  readonly id: string;
}

/** The row of a file to add. */
export type FileToAdd = Omit<FileAddedUnit, 'kind'>;

/** Adds and counts a file whose content exists; one that was added before stays as it is. */
export function* addFile(balances: BalanceBatch, file: FileToAdd): Steps<void> {
  if (yield* readFile(file.accountId, file.id)) return;
  yield run(
    `INSERT INTO files (account_id, id, purpose, filename, bytes, created_at_ms, expires_at_ms, content_gone)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
    file.accountId,
    file.id,
    file.purpose,
    file.filename,
    BigInt(file.bytes),
    BigInt(file.createdAtMs),
    BigInt(file.expiresAtMs),
  );
  balances.keep(file.accountId, file.bytes);
}

export function* fileAdded({ kind: _, ...file }: FileAddedUnit, { balances }: Context): Steps<PlainOutcome> {
  yield* addFile(balances, file);
  return { result: 'changed' };
}

/** `stale`: no such file, or an active batch needs it. On a retry a missing one was removed the first time. */
export function* fileRemoved({ accountId, id }: FileRemovedUnit, { balances, again }: Context): Steps<PlainOutcome> {
  const row = yield* readFile(accountId, id);
  if (!row) return { result: again ? 'changed' : 'stale' };
  if (yield* isInput(id)) return { result: 'stale' };
  yield run('DELETE FROM files WHERE id = ? AND account_id = ?', id, accountId);
  if (!flag(row.content_gone)) balances.keep(accountId, -int(row.bytes));
  return { result: 'changed' };
}

/** `stale`: there is no such file, or an active batch needs it. */
export function* fileEmptied({ accountId, id }: FileEmptiedUnit, { balances }: Context): Steps<PlainOutcome> {
  const row = yield* readFile(accountId, id);
  if (!row) return { result: 'stale' };
  if (flag(row.content_gone)) return { result: 'changed' };
  if (yield* isInput(id)) return { result: 'stale' };
  yield run('UPDATE files SET content_gone = 1 WHERE id = ? AND account_id = ?', id, accountId);
  balances.keep(accountId, -int(row.bytes));
  return { result: 'changed' };
}

/** Checked again here, since a batch may have started to use the file after the caller read it. */
function* isInput(fileId: string): Steps<boolean> {
  const active = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
  return (yield* first(`SELECT id FROM batches WHERE input_file_id = ? AND status IN (${active})`, fileId)) !== null;
}

function* readFile(accountId: string, id: string): Steps<Row | null> {
  return yield* first('SELECT bytes, content_gone FROM files WHERE id = ? AND account_id = ?', id, accountId);
}
