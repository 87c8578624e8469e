/** Past quotes and the outcomes of their locks, by bucket. Both are found by primary key, and kept for a day or two. */
import type { LockBucket, LockHistory } from '#observe/ports.ts';
import type { Database } from '../database/database.ts';
import { int, money, type Row } from '../database/values.ts';

/** The lock history over `db`; the journal writes the rows. */
export function createLockHistory({ knex }: Database): LockHistory {
  return async ({ model, fromMs, toMs, bucketMs, afterSeq }) => {
    const bucketOf = (column: string) => `${column} - ${column} % ${bucketMs}`;
    const windows: Promise<Row[]> = knex('quotes')
      .where({ model })
      .where('quote_seq', '>', afterSeq)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', toMs)
      .select(knex.raw(`${bucketOf('at_ms')} AS bucket_ms`))
      .count({ windows: '*' })
      .sum({ sum: 'price' })
      .min({ low: 'price' })
      .max({ high: 'price' })
      .groupByRaw(bucketOf('at_ms'))
      .orderBy('bucket_ms');
    const locks: Promise<Row[]> = knex('lock_minutes')
      .where({ model })
      .where('minute_ms', '>=', fromMs)
      .where('minute_ms', '<', toMs)
      .select(knex.raw(`${bucketOf('minute_ms')} AS bucket_ms`))
      .sum({ started: 'started', missed: 'missed' })
      .groupByRaw(bucketOf('minute_ms'));
    const locksOf = new Map((await locks).map((row) => [int(row.bucket_ms), row]));
    return (await windows).map((row) => bucketFrom(row, locksOf.get(int(row.bucket_ms))));
  };
}

function bucketFrom(row: Row, locks: Row | undefined): LockBucket {
  return {
    atMs: int(row.bucket_ms),
    windows: int(row.windows),
    mean: Number(money(row.sum) / money(row.windows)),
    low: int(row.low),
    high: int(row.high),
    started: int(locks?.started ?? 0),
    missed: int(locks?.missed ?? 0),
  };
}
