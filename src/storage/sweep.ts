/** Bodies that belong to no settlement: the process ended between the two. Nobody was promised them. */
import type { FolderBlobs } from './blobs.ts';
import type { Database } from './database.ts';
import type { Row } from './values.ts';
import { text } from './values.ts';

const BATCH = 500;

/**
 * Deletes the bodies of orders that are unknown, ended uncharged or had their result deleted, and tells how many. Bodies
 * of live orders stay: they may be about to be settled. Safe beside a running gateway; work is bounded per step.
 */
export async function sweepBlobs(db: Database, blobs: FolderBlobs): Promise<number> {
  let swept = 0;
  for await (const ids of blobs.list()) {
    for (let start = 0; start < ids.length; start += BATCH) {
      for (const id of await ownerless(db, ids.slice(start, start + BATCH))) {
        await blobs.delete(id);
        swept++;
      }
    }
  }
  return swept;
}

/** Those of `ids` whose body nobody may ever read. A `done` order whose body came just now is still to be marked. */
export async function ownerless({ knex }: Pick<Database, 'knex'>, ids: readonly string[]): Promise<string[]> {
  const rows: Row[] = await knex('orders')
    .whereIn('id', [...ids])
    .where((either) =>
      either
        .whereIn('status', ['queued', 'executing'])
        .orWhere((done) => done.where({ status: 'done' }).whereNot({ result_state: 'deleted' })),
    )
    .select('id');
  const owned = new Set(rows.map((row) => text(row.id)));
  return ids.filter((id) => !owned.has(id));
}
