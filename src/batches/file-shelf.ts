/**
 * Files as bodies that are swept: their content goes, their row stays and answers 410. The input of an active batch may
 * not go, however old it is and however much its account keeps.
 */
import type { KeptBody, Shelf } from '#orders/ports.ts';
import type { FileRow } from './file.ts';
import type { BatchFiles, FileContents, FileIndex, FileStore } from './file-ports.ts';

/** What the shelf needs. */
export interface FileShelfParts {
  readonly index: FileIndex;
  readonly files: Pick<FileStore, 'markGone'>;
  readonly contents: Pick<FileContents, 'delete'>;
  readonly batchFiles: Pick<BatchFiles, 'inputsAmong'>;
}

/** The contents of files. */
export function fileShelf({ index, files, contents, batchFiles }: FileShelfParts): Shelf {
  return {
    expired: (nowMs, limit) => unused(limit, (after) => index.expired(nowMs, { limit, after })),
    oldest: (accountId, limit) => unused(limit, (after) => index.oldest(accountId, { limit, after })),
    async remove({ id, accountId }) {
      if (await files.markGone(accountId, id)) await contents.delete(id);
    },
  };

  /** The first `limit` that may go. An account has few active batches, so few pages are read in vain. */
  async function unused(limit: number, read: (after: FileRow | null) => Promise<FileRow[]>): Promise<KeptBody[]> {
    const found: KeptBody[] = [];
    for (let after: FileRow | null = null; ; ) {
      const page = await read(after);
      const inputs = await batchFiles.inputsAmong(page.map(({ id }) => id));
      found.push(...page.filter(({ id }) => !inputs.has(id)).map(keptBody));
      after = page.at(-1) ?? null;
      if (page.length < limit || found.length >= limit) return found.slice(0, limit);
    }
  }
}

function keptBody({ id, accountId, bytes, createdAtMs }: FileRow): KeptBody {
  return { id, accountId, bytes, sinceMs: createdAtMs };
}
