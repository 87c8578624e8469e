/**
 * Units of files: their rows, and what every account stores in all. Content is written before the unit that adds it,
 * and deleted after the unit that marks it as gone: a row never promises content that is missing.
 */
import type { PlainOutcome } from '#base/journal.ts';
import type { FilePurpose } from '#batches/file.ts';
import { flag, int, type Row } from '../database/values.ts';
import { fileRecord } from '../records/batch.ts';
import type { Context, UnitKind } from './context.ts';
import type { Picture } from './picture.ts';

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
  readonly keyId: string | null;
  readonly id: string;
  readonly purpose: FilePurpose;
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

/** Adds and counts a file whose content exists; one that was added before stays as it is. Ask for its row first. */
export function addFile({ balances, files }: Picture, file: FileToAdd): void {
  if (files.find(file.id)) return;
  files.add(fileRecord({ ...file, contentGone: false }));
  balances.keep(file.accountId, file.bytes);
}

export const fileAdded: UnitKind<FileAddedUnit, PlainOutcome> = {
  want({ id }, { picture }) {
    picture.files.want(id);
  },

  apply({ kind: _, ...file }, { picture }) {
    addFile(picture, file);
    return { result: 'changed' };
  },
};

/** `stale`: no such file, or an active batch needs it. If a file is missing on a retry, the first try removed it. */
export const fileRemoved: UnitKind<FileRemovedUnit, PlainOutcome> = {
  want: wantWithBatches,

  apply({ accountId, id }, { picture, again }) {
    const { files, inputs, balances } = picture;
    const row = fileOf(picture, accountId, id);
    if (!row) return { result: again ? 'changed' : 'stale' };
    if (inputs.has(id)) return { result: 'stale' };
    files.remove(id);
    if (!flag(row.content_gone)) balances.keep(accountId, -int(row.bytes));
    return { result: 'changed' };
  },
};

/** `stale`: there is no such file, or an active batch needs it. */
export const fileEmptied: UnitKind<FileEmptiedUnit, PlainOutcome> = {
  want: wantWithBatches,

  apply({ accountId, id }, { picture }) {
    const { files, inputs, balances } = picture;
    const row = fileOf(picture, accountId, id);
    if (!row) return { result: 'stale' };
    if (flag(row.content_gone)) return { result: 'changed' };
    if (inputs.has(id)) return { result: 'stale' };
    files.change({ content_gone: 1 }, id);
    balances.keep(accountId, -int(row.bytes));
    return { result: 'changed' };
  },
};

/** The file, and the batches that may have started to use it after the caller read it. */
function wantWithBatches({ id }: { readonly id: string }, { picture }: Context): void {
  picture.files.want(id);
  picture.inputs.want(id);
}

function fileOf({ files }: Picture, accountId: string, id: string): Row | null {
  const row = files.find(id);
  return row?.account_id === accountId ? row : null;
}
