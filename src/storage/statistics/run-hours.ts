/** Reads how long runs took, from what each boot counted by the hour. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { DAY_MS } from '#base/time.ts';
import type { ReadRuns } from '#observe/ports.ts';
import type { Database } from '../database/database.ts';
import { bytes, type Row } from '../database/values.ts';

/** Twenty boots in each hour; more in one day are processes that start over and over; the rest is left out. */
const ROWS_A_DAY_MAX = 24 * 20;

/** Over `db`; the journal writes the rows. */
export function readRunsFrom({ knex }: Database): ReadRuns {
  return async (model, { fromMs, toMs }, take) => {
    // A day at a time, because an embedded database is read on this thread.
    for (let atMs = fromMs; atMs < toMs; atMs += DAY_MS) {
      const rows: Row[] = await knex('run_hours')
        .where({ model })
        .where('bucket_ms', '>=', atMs)
        .where('bucket_ms', '<', Math.min(toMs, atMs + DAY_MS))
        .orderBy(['bucket_ms', 'boot'])
        .limit(ROWS_A_DAY_MAX)
        .select('counts');
      for (const row of rows) take(bytes(row.counts));
      await yieldToOthers();
    }
  };
}
