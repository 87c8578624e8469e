/**
 * Files as the retention cleanup of `results/` sees them: their content is deleted, their row stays and is answered
 * with 410. The input of an active batch is kept, however old it is and however much its account stores.
 */
import type { Retained, RetainedItem } from '#results/ports.ts';
import type { BatchFiles, FileContents, FileIndex, FileRow, FileStore } from './file.ts';

interface RetainedFilesOptions {
  readonly index: FileIndex;
  readonly files: Pick<FileStore, 'markGone'>;
  readonly contents: Pick<FileContents, 'delete'>;
  readonly batchFiles: Pick<BatchFiles, 'inputsAmong'>;
}

/** The contents of files. */
export function retainedFiles({ index, files, contents, batchFiles }: RetainedFilesOptions): Retained {
  return {
    expired: (nowMs, limit) => unused(limit, (after) => index.expired(nowMs, { limit, after })),
    oldest: (accountId, limit) => unused(limit, (after) => index.oldest(accountId, { limit, after })),
    async newest(accountId, { limit, after }) {
      const place = after && { createdAtMs: after.sinceMs, id: after.id };
      return (await index.newest(accountId, { limit, after: place })).map(itemOf);
    },
    async remove({ id, accountId }) {
      if (await files.markGone(accountId, id)) await contents.delete(id);
    },
  };

  /** The first `limit` that may be deleted. An account has few active batches, so few pages are read without need. */
  async function unused(limit: number, read: (after: FileRow | null) => Promise<FileRow[]>): Promise<RetainedItem[]> {
    const found: RetainedItem[] = [];
    for (let after: FileRow | null = null; ; ) {
      const page = await read(after);
      const inputs = await batchFiles.inputsAmong(page.map(({ id }) => id));
      found.push(...page.filter(({ id }) => !inputs.has(id)).map(itemOf));
      after = page.at(-1) ?? null;
      if (page.length < limit || found.length >= limit) return found.slice(0, limit);
    }
  }
}

function itemOf({ id, accountId, keyId, bytes, createdAtMs: sinceMs }: FileRow): RetainedItem {
  return { id, accountId, keyId, bytes, sinceMs };
}
