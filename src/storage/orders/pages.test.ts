/** How the pages of a list are read: from indexes, in the order of the list, on every database. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { silentLog } from '#base/log.ts';
import { DAY_MS } from '#base/time.ts';
import type { OrderFilter } from '#orders/ports.ts';
import { fundedAccount, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createJournal } from '../journal/journal.ts';
import { createOrderStore } from './store.ts';

const filters: readonly Partial<OrderFilter>[] = [
  {},
  { model: 'tide-70b' },
  { kind: 'chat' },
  { model: 'tide-70b', kind: 'chat', fromMs: startMs, toMs: startMs },
  { statuses: ['queued'], model: 'tide-70b' },
  { statuses: ['error', 'expired'], kind: 'chat' },
  { statuses: ['done'], kind: 'chat' },
  { statuses: ['done'] },
  { statuses: ['queued', 'expired'] },
  { idPrefix: '019b76da' },
  { idPrefix: '019b', model: 'tide-70b', batchId: 'none' },
  { batchId: 'none' },
  { batchId: 'none', statuses: ['done', 'queued'] },
  { batchId: 'batch_1' },
  { batchId: 'batch_1', model: 'tide-70b', statuses: ['error'] },
];

for (const tested of testedDatabases) {
  describe(`pages of orders on ${tested.name}`, { skip: tested.skip }, () => {
    const statements: { sql: string; bindings: string[]; __knexTxId?: string }[] = [];
    let opened: OpenedDatabase;
    let accountId: string;

    before(async () => {
      opened = await openTested(tested);
      const clock = new ManualClock(startMs);
      accountId = await fundedAccount(opened.db, clock, 10n ** 9n);
      const journal = createJournal(opened.db, { clock, log: silentLog });
      await journal.write(acceptUnit(orderRow({ accountId })));
      await journal.write(acceptUnit(orderRow({ accountId, batchId: 'batch_1', outlives: true })));
      const done = orderRow({ accountId });
      await journal.write(acceptUnit(done, { admission: admissionOf(1n) }));
      await journal.write(settleUnit(done, 1n));
      await journal.close();
      opened.db.knex.on('query', (statement) => statements.push(statement));
    });
    beforeEach(() => {
      statements.length = 0;
    });
    after(() => opened?.drop());

    const anyOf = (change: Partial<OrderFilter>): OrderFilter => {
      const none = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };
      return { accountId, keyId: null, ...none, ...change };
    };

    async function plansOf(explain: string): Promise<{ sql: string; steps: Record<string, unknown>[] }[]> {
      const asked = statements.filter(({ sql }) => /^\(?select/i.test(sql));
      const plans: { sql: string; steps: Record<string, unknown>[] }[] = [];
      for (const { sql, bindings } of asked) {
        const reply = await opened.db.knex.raw(`${explain} ${sql}`, bindings);
        plans.push({ sql, steps: Array.isArray(reply[0]) ? reply[0] : reply });
      }
      return plans;
    }

    test('whatever the filter of a list, an index returns its rows in order', {
      skip: tested.name !== 'SQLite' && 'it explains in other words; see the next test',
    }, async () => {
      const store = createOrderStore(opened.db);
      for (const filter of filters) await store.list(anyOf(filter), { limit: 10, after: null });
      for (const filter of filters) await store.list(anyOf({ ...filter, keyId: 'key_1' }), { limit: 10, after: null });
      await store.counts(anyOf({}));
      await store.totals(anyOf({ keyId: 'key_1' }));
      await store.totals(anyOf({ fromMs: startMs + 1, toMs: startMs + 2 * DAY_MS }));
      for (const { sql, steps: rows } of await plansOf('EXPLAIN QUERY PLAN')) {
        const steps = rows.map(({ detail }) => detail).join('; ');
        // The rows of several ranges, a page of each, are sorted; a table never is.
        const read = steps.replaceAll(
          /SCAN (page|listed|range_\d+)(; |$)|SCAN ranges; USE TEMP B-TREE FOR ORDER BY/g,
          '',
        );
        assert.doesNotMatch(read, /SCAN|TEMP B-TREE FOR (?!GROUP BY)/, `${sql}: ${steps}`);
        for (const [, range = ''] of steps.matchAll(/CO-ROUTINE range_\d+; ([^;]*)/g)) {
          assert.match(
            range,
            /orders_live|COVERING INDEX orders_ended \(account_id=\? AND model=\? AND kind=\? AND status=\?/,
          );
        }
      }
    });

    test('whatever the filter of a list, each of its ranges is read from an index only, in order', {
      skip: tested.name !== 'MariaDB' && 'it explains in other words; see the test before',
    }, async () => {
      const store = createOrderStore(opened.db);
      for (const filter of filters) {
        statements.length = 0;
        await store.list(anyOf(filter), { limit: 10, after: null });
        const plans = await plansOf('EXPLAIN FORMAT=TRADITIONAL');
        const ranges = plans
          .flatMap(({ steps }) => steps)
          .filter((step) => /^(DERIVED|UNION)$/.test(`${step.select_type}`));
        const reads = ranges.filter(({ table }) => table === 'orders');
        assert.ok(reads.length > 0, JSON.stringify(filter));
        for (const { key, Extra } of reads) {
          assert.match(
            `${key}: ${Extra}`,
            /^orders_(by_account|by_batch|by_status|ended): (Using where; )?(Backward index scan; )?Using index$/,
            JSON.stringify({ filter, key, Extra }),
          );
        }
      }
    });

    test('a list of what one key made reads the orders of this key, of its batch, or the few that live', async () => {
      const store = createOrderStore(opened.db);
      for (const filter of [...filters, { statuses: ['queued'] }]) {
        statements.length = 0;
        await store.list(anyOf({ ...filter, keyId: 'key_1' }), { limit: 10, after: null });
        const plans = await plansOf(tested.name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL');
        const read = plans.flatMap(({ steps }) => steps.map(({ detail, key }) => `${detail ?? key}`)).join('; ');
        const ofSome = filter.batchId === 'batch_1' ? /orders_by_batch|orders_ended/ : /orders_by_key/;
        const ofLive = filter.statuses?.join() === 'queued' ? /orders_live|orders_by_status/ : ofSome;
        assert.match(read, ofLive, JSON.stringify(filter));
      }
    });

    test('a list of a tag reads the entries of this tag in order, or the few orders that live', async () => {
      const store = createOrderStore(opened.db);
      for (const filter of [{}, { fromMs: startMs }, { statuses: ['done'], kind: 'chat' }, { statuses: ['queued'] }]) {
        statements.length = 0;
        const listed = await store.list(anyOf({ ...filter, tag: 'search' }), { limit: 10, after: null });
        assert.equal(listed.length > 0 && listed.every(({ tags }) => tags?.includes('search')), true);
        assert.deepEqual(await store.list(anyOf({ ...filter, tag: 'sea' }), { limit: 10, after: null }), []);
        const plans = await plansOf(tested.name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL');
        const steps = plans.flatMap(({ steps }) =>
          steps.map(({ detail, table, key }) => `${detail ?? `${table} ${key}`}`),
        );
        const ofLive = /orders_live|orders_by_status/;
        assert.match(steps.join('; '), filter.statuses?.join() === 'queued' ? ofLive : /order_tags/);
        assert.doesNotMatch(steps.join('; '), /TEMP B-TREE|SCAN orders/);
      }
    });

    test('a list of one status has the newest orders of an account that has used hundreds of models', async () => {
      const store = createOrderStore(opened.db);
      const [row] = await opened.db.knex('orders').where({ status: 'done' });
      const rows = Array.from({ length: 300 }, (_, n) => {
        return { ...row, account_id: 'collector', id: `done_${n}`, model: `model-${n}`, created_at_ms: startMs + n };
      });
      await opened.db.knex.batchInsert('orders', rows, 100);
      const filter = anyOf({ accountId: 'collector', statuses: ['done', 'error'] });
      statements.length = 0;
      const first = await store.list(filter, { limit: 3, after: null });
      // Parts of one list are of one snapshot.
      const parts = statements.filter(({ sql }) => /union all/i.test(sql));
      if (tested.name === 'SQLite') assert.ok(parts.length > 1);
      assert.ok(new Set(parts.map(({ __knexTxId }) => __knexTxId)).size <= 1);
      const next = await store.list(filter, { limit: 3, after: first[2]?.id ?? null });
      const listed = [...first, ...next].map(({ id }) => id);
      assert.deepEqual(listed, ['done_299', 'done_298', 'done_297', 'done_296', 'done_295', 'done_294']);
      assert.deepEqual(await store.list({ ...filter, statuses: ['canceled'] }, { limit: 3, after: null }), []);
    });

    test('a list of few of many orders of a tag looks at some thousands of them at once', async () => {
      const store = createOrderStore(opened.db);
      const usage = new UsageStore(opened.db);
      const entry = (n: number) => ({ account_id: accountId, tag: 'crowd', created_at_ms: n, order_id: `${n}` });
      const oldest = orderRow({ accountId, tags: ['crowd'], createdAtMs: 1 });
      const journal = createJournal(opened.db, { clock: new ManualClock(startMs), log: silentLog });
      await journal.write(acceptUnit(oldest, { admission: admissionOf(1n) }));
      await journal.write(settleUnit(oldest, 1n));
      await journal.close();
      // More than a statement looks at, and newer than the only one that there is.
      const entries = Array.from({ length: 12_000 }, (_, n) => entry(2 * startMs + n));
      for (const table of ['order_tags', 'usage_tags']) await opened.db.knex.batchInsert(table, entries, 400);
      const looksAt = (table: string) => statements.filter(({ sql }) => sql.includes(table)).length;
      statements.length = 0;
      const listed = await store.list(anyOf({ tag: 'crowd', model: oldest.model }), { limit: 10, after: null });
      assert.deepEqual(
        listed.map(({ id }) => id),
        [oldest.id],
      );
      assert.ok(looksAt('order_tags') > 6, `${looksAt('order_tags')} statements`);
      const filter = { accountId, keyId: null, tag: 'crowd', model: oldest.model, fromMs: null, toMs: null };
      statements.length = 0;
      const [used] = await usage.list(filter, { limit: 10, after: null });
      assert.equal(used?.orderId, oldest.id);
      assert.ok(looksAt('usage_tags') > 2, `${looksAt('usage_tags')} statements`);
    });

    test('a list of few of many orders of a key looks at some thousands of them at once', async () => {
      const store = createOrderStore(opened.db);
      const usage = new UsageStore(opened.db);
      const oldest = orderRow({ accountId, keyId: 'key_busy', createdAtMs: 1 });
      const journal = createJournal(opened.db, { clock: new ManualClock(startMs), log: silentLog });
      await journal.write(acceptUnit(oldest, { admission: admissionOf(1n) }));
      await journal.write(settleUnit(oldest, 1n));
      await journal.close();
      // More than a statement looks at, of another model and newer than the only one of this.
      for (const [table, id] of [
        ['orders', 'id'],
        ['usage_records', 'order_id'],
      ] as const) {
        const [row] = await opened.db.knex(table).where({ [id]: oldest.id });
        const rows = Array.from({ length: 12_000 }, (_, n) => {
          return { ...row, [id]: `busy_${n}`, model: 'busy-1b', created_at_ms: startMs + n };
        });
        await opened.db.knex.batchInsert(table, rows, 200);
      }
      const page = { limit: 10, after: null };
      const filter = { accountId, keyId: 'key_busy', model: oldest.model, fromMs: null, toMs: null };
      for (const list of [() => store.list(anyOf(filter), page), () => usage.list(filter, page)]) {
        statements.length = 0;
        assert.equal((await list()).length, 1);
        assert.ok(statements.length > 4, `${statements.length} statements`);
      }
    });

    test('a model whose orders are all still queued is among the models of a list', async () => {
      const order = orderRow({ accountId, model: 'waiting-1b', kind: 'messages' });
      const journal = createJournal(opened.db, { clock: new ManualClock(startMs), log: silentLog });
      await journal.write(acceptUnit(order));
      await journal.close();
      const filter = anyOf({ kind: 'messages', statuses: ['queued'] });
      const page = await createOrderStore(opened.db).list(filter, { limit: 10, after: null });
      assert.deepEqual(
        page.map(({ id }) => id),
        [order.id],
      );
    });
  });
}
