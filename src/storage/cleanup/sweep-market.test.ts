/** Which price history is swept and which stays, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { sweepMarket } from './sweep-market.ts';

const nowMs = Date.UTC(2026, 5, 1);

for (const tested of testedDatabases) {
  describe(`sweep of prices on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    beforeEach(async () => {
      opened = await openTested(tested);
      await opened.db.knex('markets').insert({ model: 'tide', level_seq: 1, level: 1, at_ms: nowMs });
    });
    afterEach(() => opened.drop());

    const insert = (table: string, rows: readonly object[]) => opened.db.knex.batchInsert(table, [...rows], 100);
    const level = (level_seq: number, at_ms: number, model = 'tide') => ({ model, level_seq, level: 1, at_ms });
    const quote = (quote_seq: number, at_ms: number) => ({
      ...{ model: 'tide', quote_seq, price: 1 },
      ...{ at_ms, until_ms: at_ms + 1 },
    });
    async function left(table: string, column: string, where: object = { model: 'tide' }): Promise<number[]> {
      return (await opened.db.knex(table).where(where).orderBy(column).pluck(column)).map(Number);
    }

    test('changes older than two days are deleted, but the one in force then stays', async () => {
      const edgeMs = nowMs - 2 * DAY_MS;
      const times = [edgeMs - 2000, edgeMs - 1000, edgeMs - 1, edgeMs, nowMs];
      await insert(
        'levels',
        times.map((atMs, at) => level(at + 1, atMs)),
      );
      await insert(
        'quotes',
        times.map((atMs, at) => quote(at + 1, atMs)),
      );
      assert.equal(await sweepMarket(opened.db, nowMs), 4);
      assert.deepEqual(await left('levels', 'level_seq'), [3, 4, 5]);
      assert.deepEqual(await left('quotes', 'quote_seq'), [3, 4, 5]);
      assert.equal(await sweepMarket(opened.db, nowMs), 0);
    });

    test('the free lease of a market that nobody sells is deleted, that of a job and a held one stay', async () => {
      const lease = (name: string, holder: string | null) => ({ name, epoch: 1, holder });
      await insert('leases', [lease('market:gone', null), lease('market:tide', '1'), lease('job:cleanup', null)]);
      assert.equal(await sweepMarket(opened.db, nowMs), 1);
      assert.deepEqual(await opened.db.knex('leases').orderBy('name').pluck('name'), ['job:cleanup', 'market:tide']);
    });

    test('a sweep deletes them though another process commits after everything that it reads', async () => {
      await insert(
        'levels',
        [1, 2, 3].map((seq) => level(seq, nowMs - 3 * DAY_MS + seq)),
      );
      const { knex, address } = opened.db;
      const other = address.type === 'sqlite' ? new Sqlite(address.filename, { timeout: 0 }) : null;
      let commits = 0;
      knex.on('query-response', () => {
        try {
          other?.exec('UPDATE markets SET level = level + 1');
          commits++;
        } catch {
          // The sweep has the write lock.
        }
      });
      try {
        assert.equal(await sweepMarket(opened.db, nowMs), 2);
        assert.ok(commits > 3);
      } finally {
        knex.removeAllListeners('query-response');
        other?.close();
      }
      assert.deepEqual(await left('levels', 'level_seq'), [3]);
    });

    test('a market that has not moved for a year keeps its newest change', async () => {
      await insert('levels', [level(1, nowMs - 400 * DAY_MS), level(2, nowMs - 365 * DAY_MS)]);
      await insert('quotes', [quote(1, nowMs - 365 * DAY_MS)]);
      await sweepMarket(opened.db, nowMs);
      assert.deepEqual([await left('levels', 'level_seq'), await left('quotes', 'quote_seq')], [[2], [1]]);
    });

    test('more rows than one step are deleted too, and each market by its own time', async () => {
      await opened.db.knex('markets').insert({ model: 'ebb', level_seq: 1, level: 1, at_ms: nowMs });
      await insert(
        'levels',
        Array.from({ length: 2500 }, (_, at) => level(at + 1, nowMs - 3 * DAY_MS + at)),
      );
      await insert('levels', [level(1, nowMs - DAY_MS, 'ebb'), level(2, nowMs, 'ebb')]);
      assert.equal(await sweepMarket(opened.db, nowMs), 2499);
      assert.deepEqual(await left('levels', 'level_seq'), [2500]);
      assert.deepEqual(await left('levels', 'level_seq', { model: 'ebb' }), [1, 2]);
    });

    test('blocks are deleted when no chart has slots of their width any more', async () => {
      const keptMs = { 1000: 3 * HOUR_MS, 15000: 26 * HOUR_MS, 60000: 31 * DAY_MS + HOUR_MS };
      for (const [width, ms] of Object.entries(keptMs)) {
        const block = { model: 'tide', width_ms: Number(width), boot: 1, slots: Buffer.of(1) };
        await insert(
          'level_blocks',
          [ms + 365 * DAY_MS, ms + 1, ms, 0].map((ageMs) => ({ ...block, from_ms: nowMs - ageMs })),
        );
      }
      assert.equal(await sweepMarket(opened.db, nowMs), 6);
      for (const [width, ms] of Object.entries(keptMs)) {
        assert.deepEqual(await left('level_blocks', 'from_ms', { width_ms: width }), [nowMs - ms, nowMs]);
      }
    });

    test('outcomes of locks are kept for a day and an hour', async () => {
      const minute = (ageMs: number) => ({ model: 'tide', minute_ms: nowMs - ageMs, started: 1, missed: 1 });
      await insert('lock_minutes', [90 * DAY_MS, 25 * HOUR_MS + MINUTE_MS, 25 * HOUR_MS, 0].map(minute));
      assert.equal(await sweepMarket(opened.db, nowMs), 2);
      assert.deepEqual(await left('lock_minutes', 'minute_ms'), [nowMs - 25 * HOUR_MS, nowMs]);
    });
  });
}
