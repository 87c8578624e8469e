/**
 * The bodies of results, wherever they are. Small ones are rows of `stored_answers`, which only the journal writes and
 * deletes; larger ones, and all from before that table, are files. A row is looked for first: a file beside it is what an
 * earlier attempt of the order left, and goes when the result does.
 */
import type { ResultStore } from '#orders/ports.ts';
import type { FolderBlobs } from './blobs.ts';
import type { Database } from './database.ts';
import { type Row, text } from './values.ts';

/** Where the larger bodies are. */
export type BodyFiles = Pick<FolderBlobs, 'put' | 'putLightly' | 'get' | 'delete'>;

/** The result store over the rows of `db` and over `files`. */
export function createResultStore({ knex }: Pick<Database, 'knex'>, files: BodyFiles): ResultStore {
  return {
    put: (orderId, body) => files.put(orderId, Buffer.from(body)),
    putLightly: (orderId, body) => files.putLightly(orderId, Buffer.from(body)),
    async get(orderId) {
      const row: Row | undefined = await knex('stored_answers').where({ order_id: orderId }).first('body');
      if (row) return text(row.body);
      const file = await files.get(orderId);
      return file && Buffer.from(file).toString();
    },
    async getCheap(orderIds) {
      const rows: Row[] = await knex('stored_answers')
        .whereIn('order_id', [...orderIds])
        .select('order_id', 'body');
      return new Map(rows.map((row) => [text(row.order_id), text(row.body)]));
    },
    delete: (orderId) => files.delete(orderId),
  };
}
