/**
 * Files: their rows, and what every account keeps in all. Content is written before the unit that enters it, and
 * deleted after the unit that says it is gone: a row never promises what is not there.
 */
import { ACTIVE_STATUSES } from '#batches/batch.ts';
import type { FileAddedUnit, FileEmptiedUnit, FileRemovedUnit, PlainOutcome } from '#orders/journal-port.ts';
import { flag, int, type Row } from '../values.ts';
import { first, run, type Steps } from './steps.ts';
import type { Till } from './till.ts';
import type { Context } from './units.ts';

/** What is entered of a file. */
export type EnteredFile = Omit<FileAddedUnit, 'kind'>;

/** Enters a file whose content is there, and counts it; one that is entered already is left as it is. */
export function* enterFile(till: Till, file: EnteredFile): Steps<void> {
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
  till.keep(file.accountId, file.bytes);
}

export function* fileAdded({ kind: _, ...file }: FileAddedUnit, { till }: Context): Steps<PlainOutcome> {
  yield* enterFile(till, file);
  return { result: 'changed' };
}

/** `stale`: there was no such file, or an active batch needs it. One that is missing on a second try was removed by the first. */
export function* fileRemoved({ accountId, id }: FileRemovedUnit, { till, again }: Context): Steps<PlainOutcome> {
  const row = yield* readFile(accountId, id);
  if (!row) return { result: again ? 'changed' : 'stale' };
  if (yield* isInput(id)) return { result: 'stale' };
  yield run('DELETE FROM files WHERE id = ? AND account_id = ?', id, accountId);
  if (!flag(row.content_gone)) till.keep(accountId, -int(row.bytes));
  return { result: 'changed' };
}

/** `stale`: there is no such file, and nothing to say of its content, or an active batch needs it. */
export function* fileEmptied({ accountId, id }: FileEmptiedUnit, { till }: Context): Steps<PlainOutcome> {
  const row = yield* readFile(accountId, id);
  if (!row) return { result: 'stale' };
  if (flag(row.content_gone)) return { result: 'changed' };
  if (yield* isInput(id)) return { result: 'stale' };
  yield run('UPDATE files SET content_gone = 1 WHERE id = ? AND account_id = ?', id, accountId);
  till.keep(accountId, -int(row.bytes));
  return { result: 'changed' };
}

/** Whoever takes a file away has looked before, and a batch may have come since. */
function* isInput(fileId: string): Steps<boolean> {
  const active = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
  return (yield* first(`SELECT id FROM batches WHERE input_file_id = ? AND status IN (${active})`, fileId)) !== null;
}

function* readFile(accountId: string, id: string): Steps<Row | null> {
  return yield* first('SELECT bytes, content_gone FROM files WHERE id = ? AND account_id = ?', id, accountId);
}
