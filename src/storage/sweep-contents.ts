/** Contents that belong to no file: the process ended before the row committed, or before the content was deleted. */
import type { BatchFiles } from '#batches/file-ports.ts';
import type { Database } from './database.ts';
import type { FolderContents } from './file-contents.ts';

const STEP = 500;

/** Where to sweep, and who owns content without a row. */
export interface ContentsSweep {
  readonly db: Pick<Database, 'knex'>;
  readonly contents: FolderContents;
  readonly batchFiles: Pick<BatchFiles, 'outputsAmong'>;
}

/**
 * Deletes contents that no file and no active batch owns, and tells how many. Before uploads are taken: their content is
 * there a moment before its row.
 */
export async function sweepContents(parts: ContentsSweep): Promise<number> {
  let swept = 0;
  for await (const ids of parts.contents.list()) {
    for (let start = 0; start < ids.length; start += STEP) {
      for (const id of await withoutOwner(ids.slice(start, start + STEP), parts)) {
        await parts.contents.delete(id);
        swept++;
      }
    }
  }
  return swept;
}

/** Those of `ids` whose content nobody may ever read. */
async function withoutOwner(
  ids: readonly string[],
  { db, batchFiles }: Pick<ContentsSweep, 'db' | 'batchFiles'>,
): Promise<string[]> {
  const entered: string[] = await db
    .knex('files')
    .whereIn('id', [...ids])
    .where({ content_gone: 0 })
    .pluck('id');
  const owned = new Set([...entered, ...(await batchFiles.outputsAmong(ids))]);
  return ids.filter((id) => !owned.has(id));
}
