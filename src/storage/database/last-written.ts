/** The latest time in the database: the next gateway's clock must not be before it. */

import type { Database } from './database.ts';
import { LIVE } from './dialects/dialect.ts';
import { int, type Row } from './values.ts';

/**
 * The latest time of what later rows are compared with: levels, quotes, runs, orders that may still run, and the newest
 * order; 0 when there is nothing. Milliseconds since the epoch.
 */
export async function lastWrittenMs({ knex }: Database): Promise<number> {
  const rows: Row[] = await Promise.all([
    knex('markets').max('at_ms as ms').first(),
    knex('quotes').max('at_ms as ms').first(),
    knex('gateway_runs').max('until_ms as ms').first(),
    knex('orders').whereRaw(LIVE).max('created_at_ms as ms').first(),
    knex('orders').whereRaw(LIVE).max('admitted_at_ms as ms').first(),
    knex('orders').orderBy('id', 'desc').select('created_at_ms as ms').first(),
    knex('batches').max('created_at_ms as ms').first(),
  ]);
  return Math.max(0, ...rows.map((row) => int(row?.ms ?? 0)));
}
