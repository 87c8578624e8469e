/** What readers see of orders, usage and levels, on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import type { OrderRow } from '#orders/order.ts';
import type { OrderFilter } from '#orders/ports.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import type { Journal } from '../journal/journal.ts';
import { latestLevels } from '../market/quotes.ts';
import { createOrderStore } from './store.ts';

const clock = new ManualClock(startMs);

for (const tested of testedDatabases) {
  describe(`readers on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
    });
    after(() => opened?.drop());

    const account = () => fundedAccount(opened.db, clock, 10n ** 18n);
    const anyOf = (accountId: string, change: Partial<OrderFilter> = {}): OrderFilter => ({
      ...wholeAccount(accountId),
      statuses: null,
      model: null,
      kind: null,
      batchId: null,
      idPrefix: null,
      fromMs: null,
      toMs: null,
      ...change,
    });
    test('an order whose row cannot be read is left out of a list, and the others are in it', async () => {
      const accountId = await account();
      const [damaged, sound] = [orderRow({ accountId }), orderRow({ accountId })];
      for (const order of [damaged, sound]) await journal.write(acceptUnit(order));
      await opened.db.knex('orders').where({ id: damaged.id }).update({ kind: 'zzz' });
      const listed = await createOrderStore(opened.db).list(anyOf(accountId), { after: null, limit: 10 });
      assert.deepEqual(
        listed.map(({ id }) => id),
        [sound.id],
      );
    });
    async function done(order: OrderRow, charge: bigint, change: { finishedAtMs?: number; atBid?: bigint } = {}) {
      await journal.write(acceptUnit(order, { admission: admissionOf(charge) }));
      await journal.write(settleUnit(order, charge, { pricing: order.limit === null ? 'fixed' : 'market', ...change }));
    }
    async function close(order: OrderRow, status: 'canceled' | 'expired'): Promise<void> {
      await journal.write({
        kind: 'close',
        orderId: order.id,
        accountId: order.accountId,
        status,
        error: `order_${status}`,
        errorMessage: 'x',
        finishedAtMs: startMs + 1,
      });
    }

    test('only its owner finds an order', async () => {
      const [mine, other] = [await account(), await account()];
      const order = orderRow({ accountId: mine });
      await journal.write(acceptUnit(order));
      const store = createOrderStore(opened.db);
      assert.equal((await store.find(wholeAccount(mine), order.id))?.id, order.id);
      assert.equal(await store.find(wholeAccount(other), order.id), null);
      assert.equal(await store.find(wholeAccount(mine), 'no such id'), null);
    });

    test("another account's order is read like one that does not exist", async () => {
      const [mine, other] = [await account(), await account()];
      const order = orderRow({ accountId: mine });
      await done(order, 1n);
      const asked: string[] = [];
      opened.db.knex.on('query', ({ sql }) => asked.push(sql));
      const queries = async (id: string) => {
        asked.length = 0;
        assert.equal(await createOrderStore(opened.db).find(wholeAccount(other), id), null);
        return [...asked];
      };
      const foreign = await queries(order.id);
      assert.equal(foreign.length, 1);
      assert.deepEqual(await queries('0199aaaa-0000-7000-8000-000000000000'), foreign);
    });

    test('each filter of the list selects the right orders, newest first', async () => {
      const accountId = await account();
      const store = createOrderStore(opened.db);
      const a = orderRow({ accountId, model: 'a', kind: 'chat', createdAtMs: startMs });
      const b = orderRow({
        accountId,
        model: 'b',
        kind: 'messages',
        createdAtMs: startMs + 1,
        batchId: 'batch_1',
        outlives: true,
      });
      const c = orderRow({ accountId, model: 'a', kind: 'chat', createdAtMs: startMs + 2 });
      const d = orderRow({ accountId, model: 'a', kind: 'chat', createdAtMs: startMs + 2 });
      for (const order of [a, b, c]) await journal.write(acceptUnit(order));
      await done(d, 1n);
      await close(a, 'expired');
      const listed = async (change: Partial<OrderFilter>): Promise<string[]> =>
        (await store.list(anyOf(accountId, change), { limit: 10, after: null })).map(({ id }) => id);

      assert.deepEqual(await listed({}), [d.id, c.id, b.id, a.id]);
      assert.deepEqual(await listed({ statuses: ['queued'] }), [c.id, b.id]);
      assert.deepEqual(await listed({ statuses: ['queued', 'executing'] }), [c.id, b.id]);
      assert.deepEqual(await listed({ statuses: ['error', 'expired'] }), [a.id]);
      assert.deepEqual(await listed({ statuses: ['done', 'expired'] }), [d.id, a.id]);
      assert.deepEqual(await listed({ statuses: [] }), []);
      assert.deepEqual(await listed({ model: 'b' }), [b.id]);
      assert.deepEqual(await listed({ kind: 'messages' }), [b.id]);
      assert.deepEqual(await listed({ batchId: 'batch_1' }), [b.id]);
      assert.deepEqual(await listed({ batchId: 'none', model: 'a', toMs: startMs }), [a.id]);
      assert.deepEqual(await listed({ fromMs: startMs + 1, toMs: startMs + 1 }), [b.id]);
      assert.deepEqual(await listed({ idPrefix: c.id }), [c.id]);
      assert.deepEqual(await listed({ idPrefix: c.id.slice(0, 4) }), [d.id, c.id, b.id, a.id]);
    });

    test('pages follow each other without gaps or repetition', async () => {
      const accountId = await account();
      const store = createOrderStore(opened.db);
      const orders = Array.from({ length: 7 }, (_, index) =>
        orderRow({ accountId, createdAtMs: startMs + Math.floor(index / 3) }),
      );
      for (const order of orders) await journal.write(acceptUnit(order));
      const seen: string[] = [];
      for (let last: string | null = null; ; ) {
        const page = await store.list(anyOf(accountId), { limit: 2, after: last });
        seen.push(...page.map(({ id }) => id));
        last = page.at(-1)?.id ?? null;
        if (last === null) break;
      }
      assert.deepEqual(seen, orders.map(({ id }) => id).reverse());
    });

    test('totals cover the filtered set, and savings market orders only', async () => {
      const accountId = await account();
      const store = createOrderStore(opened.db);
      assert.deepEqual(await store.totals(anyOf(accountId)), {
        orders: 0,
        failed: 0,
        marketOrders: 0,
        charged: 0n,
        atBid: 0n,
        saved: 0n,
      });
      await done(orderRow({ accountId }), 60n, { atBid: 100n });
      await done(orderRow({ accountId, limit: null }), 7n);
      const expired = orderRow({ accountId });
      await journal.write(acceptUnit(expired));
      await close(expired, 'expired');
      assert.deepEqual(await store.totals(anyOf(accountId)), {
        orders: 3,
        failed: 1,
        marketOrders: 2,
        charged: 67n,
        atBid: 100n,
        saved: 40n,
      });
      const narrowed = await store.totals(anyOf(accountId, { statuses: ['done'] }));
      assert.deepEqual([narrowed.orders, narrowed.failed], [2, 0]);
    });

    test('totals at bids are exact even when their sum exceeds 64 bits', async () => {
      const accountId = await account();
      const most = 2n ** 62n;
      for (let index = 0; index < 3; index++) await done(orderRow({ accountId }), 1n, { atBid: most });
      assert.equal((await createOrderStore(opened.db).totals(anyOf(accountId))).atBid, 3n * most);
    });

    test('a list of one model of the usage is read from the index of models', {
      skip: tested.name !== 'SQLite' && 'MySQL plans by the size of its tables',
    }, async () => {
      const statements: { sql: string; bindings: string[] }[] = [];
      opened.db.knex.on('query', (statement) => statements.push(statement));
      const filter = { ...wholeAccount('someone'), model: 'tide-70b', fromMs: startMs, toMs: null };
      await new UsageStore(opened.db).list(filter, { limit: 10, after: { createdAtMs: startMs, id: 'x' } });
      const { sql, bindings } = statements[0] ?? { sql: '', bindings: [] };
      const plan = await opened.db.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings);
      const steps = plan.map(({ detail }: { detail: string }) => detail).join('; ');
      assert.match(steps, /COVERING INDEX usage_by_model \(account_id=\? AND model=\? AND created_at_ms/);
    });

    test('counts of queued and executing orders ignore the statuses of the filter', async () => {
      const accountId = await account();
      const store = createOrderStore(opened.db);
      const none = await store.counts(anyOf(accountId));
      assert.deepEqual(none, { queued: 0, executing: 0, oldestQueuedAtMs: null });
      await journal.write(acceptUnit(orderRow({ accountId, createdAtMs: startMs + 5 })));
      await journal.write(acceptUnit(orderRow({ accountId, createdAtMs: startMs + 3, model: 'b' })));
      await journal.write(acceptUnit(orderRow({ accountId }), { admission: admissionOf(1n) }));
      const counts = await store.counts(anyOf(accountId, { statuses: ['done'] }));
      assert.deepEqual(counts, { queued: 2, executing: 1, oldestQueuedAtMs: startMs + 3 });
      assert.equal((await store.counts(anyOf(accountId, { model: 'b' }))).queued, 1);
    });

    test('a part of a day is summed completely, however many records it has', async () => {
      const accountId = await account();
      const records = Array.from({ length: 11_000 }, (_, index) => ({
        ...{
          order_id: `usage-${String(index).padStart(6, '0')}`,
          account_id: accountId,
          created_at_ms: startMs + (index >> 3),
        },
        ...{ model: index % 5 === 0 ? 'b' : 'a', charged: index, refunded: index % 2, at_bid: index, written_off: 0 },
        ...{
          prompt_tokens: 1,
          cached_tokens: 0,
          output_tokens: 1,
          level_at_execution: 1,
          estimated: 0,
          pricing: 'market',
        },
      }));
      for (let start = 0; start < records.length; start += 500) {
        await opened.db.knex('usage_records').insert(records.slice(start, start + 500));
      }
      const usage = new UsageStore(opened.db);
      for (const [fromMs, toMs, model] of [
        [startMs, startMs + 2000, null],
        [startMs + 3, startMs + 1370, null],
        [startMs + 3, startMs + 1370, 'b'],
        [startMs + 627, startMs + 627, 'a'],
      ] as const) {
        const found = records.filter(
          (each) => each.created_at_ms >= fromMs && each.created_at_ms <= toMs && each.model === (model ?? each.model),
        );
        assert.deepEqual(await usage.totals({ ...wholeAccount(accountId), model, fromMs, toMs }), {
          requests: found.length,
          charged: BigInt(found.reduce((sum, { charged, refunded }) => sum + charged - refunded, 0)),
        });
      }
    });

    test('usage is listed newest first, page by page, and per model', async () => {
      const accountId = await account();
      const usage = new UsageStore(opened.db);
      const orders = Array.from({ length: 5 }, (_, index) => orderRow({ accountId, model: index === 2 ? 'b' : 'a' }));
      for (const [index, order] of orders.entries()) {
        await done(order, BigInt(index), { finishedAtMs: startMs + Math.floor(index / 2) });
      }
      const filter = { ...wholeAccount(accountId), model: null, fromMs: null, toMs: null };
      const first = await usage.list(filter, { limit: 3, after: null });
      const last = first.at(-1);
      assert.ok(last);
      const rest = await usage.list(filter, { limit: 3, after: last });
      assert.deepEqual(
        [...first, ...rest].map(({ orderId }) => orderId),
        orders.map(({ id }) => id).reverse(),
      );
      const ofB = await usage.list({ ...filter, model: 'b' }, { limit: 9, after: null });
      assert.deepEqual(
        ofB.map(({ orderId }) => orderId),
        [orders[2]?.id],
      );
      assert.deepEqual([ofB[0]?.promptTokens, ofB[0]?.cachedTokens, ofB[0]?.outputTokens], [100, 90, 5]);
      assert.equal((await usage.list({ ...filter, fromMs: startMs + 2 }, { limit: 9, after: null })).length, 1);
    });

    test('usage totals of any range are those of its rows', async () => {
      const accountId = await account();
      const usage = new UsageStore(opened.db);
      const times = [0, 1, DAY_MS - 1, DAY_MS, 2 * DAY_MS + 5, 3 * DAY_MS, 4 * DAY_MS - 1].map((ms) => startMs + ms);
      for (const [index, finishedAtMs] of times.entries()) {
        const order = orderRow({
          accountId,
          model: index % 2 ? 'odd' : 'even',
          keyId: index % 3 === 0 ? 'key_a' : null,
        });
        await done(order, 10n ** BigInt(index), { finishedAtMs });
      }
      const edges = [null, ...times.flatMap((ms) => [ms - 1, ms, ms + 1])];
      for (const [model, keyId] of [
        [null, null],
        ['odd', null],
        [null, 'key_a'],
        ['odd', 'key_a'],
      ] as const) {
        for (const fromMs of edges) {
          for (const toMs of edges) {
            const filter = { accountId, keyId, model, fromMs, toMs };
            const rows = await usage.list(filter, { limit: 100, after: null });
            const expected = { requests: rows.length, charged: rows.reduce((sum, row) => sum + row.charged, 0n) };
            assert.deepEqual(await usage.totals(filter), expected, JSON.stringify(filter));
          }
        }
      }
      const ofKey = { accountId, keyId: 'key_a', model: null, fromMs: null, toMs: null };
      const charges = (await usage.list(ofKey, { limit: 100, after: null })).map(({ charged }) => charged);
      assert.deepEqual(charges, [1_000_000n, 1000n, 1n]);
    });

    test('the newest level of each market is read back', async () => {
      const level = (model: string, levelSeq: number, price: number) =>
        journal.write({ kind: 'level', model, levelSeq, level: price, atMs: startMs + levelSeq });
      await Promise.all([level('x', 1, 5), level('y', 1, 7), level('x', 2, 10 ** 15)]);
      assert.deepEqual(await latestLevels(opened.db), [
        { model: 'x', levelSeq: 2, level: 10 ** 15, atMs: startMs + 2 },
        { model: 'y', levelSeq: 1, level: 7, atMs: startMs + 1 },
      ]);
    });
  });
}
