/**
 * Deletes, at a start, orphaned blobs of results, inputs of orders and contents of files: the process ended between the
 * disk and the database, and nobody was promised them. Expired ones are deleted by `results/cleanup.ts`.
 */
import type { BatchFiles } from '#batches/file.ts';
import { orderOf, type Sweepable } from '../blobs/blob-store.ts';
import type { Database } from '../database/database.ts';
import { type Row, text } from '../database/values.ts';

const STEP = 500;

/**
 * Deletes the blobs of orders that are unknown, ended uncharged or had their result deleted, and returns how many.
 * Blobs of live orders stay: they may be about to be settled. Safe beside a running gateway; each step is bounded.
 */
export function sweepBlobs(db: Database, blobs: Sweepable): Promise<number> {
  return sweep(blobs, (ids) => ownerless(db, ids));
}

/**
 * Returns the names of blobs that can never be read. The blobs of a `done` order stay: one may be recorded any
 * moment, and those of its earlier attempts are deleted with it.
 */
export async function ownerless({ knex }: Pick<Database, 'knex'>, names: readonly string[]): Promise<string[]> {
  const rows: Row[] = await knex('orders')
    .whereIn(
      'id',
      names.map((name) => orderOf(name)),
    )
    .where((either) =>
      either
        .whereIn('status', ['queued', 'executing'])
        .orWhere((done) => done.where({ status: 'done' }).whereNot({ result_state: 'deleted' })),
    )
    .select('id');
  const owned = new Set(rows.map((row) => text(row.id)));
  return names.filter((name) => !owned.has(orderOf(name) ?? ''));
}

/** Deletes the inputs of orders that are not live, and returns how many. Must run before orders are taken. */
export function sweepInputs({ knex }: Pick<Database, 'knex'>, inputs: Sweepable): Promise<number> {
  return sweep(inputs, async (ids) => {
    const live: string[] = await knex('orders')
      .whereIn('id', [...ids])
      .whereIn('status', ['queued', 'executing'])
      .pluck('id');
    return ids.filter((id) => !live.includes(id));
  });
}

/**
 * Deletes contents that no file and no active batch owns, and returns how many. Must run before uploads are taken:
 * their content exists a moment before its row.
 */
export function sweepContents(
  db: Pick<Database, 'knex'>,
  contents: Sweepable,
  batchFiles: Pick<BatchFiles, 'outputsAmong'>,
): Promise<number> {
  return sweep(contents, async (ids) => {
    const entered: string[] = await db
      .knex('files')
      .whereIn('id', [...ids])
      .where({ content_gone: 0 })
      .pluck('id');
    const owned = new Set([...entered, ...(await batchFiles.outputsAmong(ids))]);
    return ids.filter((id) => !owned.has(id));
  });
}

/** Deletes what `unowned` picks, in bounded steps. */
async function sweep(kept: Sweepable, unowned: (ids: readonly string[]) => Promise<string[]>): Promise<number> {
  let swept = 0;
  for await (const ids of kept.list()) {
    for (let start = 0; start < ids.length; start += STEP) {
      for (const id of await unowned(ids.slice(start, start + STEP))) {
        await kept.delete(id);
        swept++;
      }
    }
  }
  return swept;
}
