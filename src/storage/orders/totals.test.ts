/** Totals of orders, on every database: they equal a count of the rows, and are read from indexes only. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { idSource } from '#base/id.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { type OrderKind, type OrderRow, type OrderStatus, orderKinds, orderStatuses } from '#orders/order.ts';
import type { OrderFilter, OrderTotals } from '#orders/ports.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { audit } from '../audit/index.ts';
import type { Journal } from '../journal/journal.ts';
import { recover } from './recovery.ts';
import { createOrderStore } from './store.ts';

const ORDERS = 150;

interface Lived {
  readonly order: OrderRow;
  readonly status: OrderStatus;
  readonly charged: bigint;
  readonly atBid: bigint;
}

for (const tested of testedDatabases) {
  describe(`totals of orders on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    const ids = idSource(clock);
    const random = seededRandom(7);
    const pick = <One>(list: readonly One[]): One => list[Math.floor(random.next() * list.length)] as One;
    let opened: OpenedJournal;
    let journal: Journal;
    let accountId: string;
    const lived: Lived[] = [];

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      accountId = await fundedAccount(opened.db, clock, 10n ** 18n);
      for (let index = 0; index < ORDERS; index++) lived.push(await live(index));
    });
    after(() => opened?.drop());

    /** An order of a random sort, created at a random hour of five days, that ends in a random way. */
    async function live(index: number): Promise<Lived> {
      const batchId = pick([null, null, 'batch_a', 'batch_b']);
      const createdAtMs = startMs + index * HOUR_MS - (index % 24 === 0 ? 1 : 0);
      const order = orderRow({
        accountId,
        keyId: pick([null, 'key_a', 'key_a', 'key_b']),
        // Ids never go back: where the clock was set back, they have a later time than their orders.
        id: idSource(new ManualClock(createdAtMs + pick([0, 0, 1, 300_000]))).uuid(),
        model: pick(['tide-70b', 'tide-70b', 'tide-70b', 'brook-8b']),
        kind: pick<OrderKind>(['chat', 'chat', 'messages']),
        limit: pick([1_000_000_000, null]),
        createdAtMs,
        batchId,
        outlives: batchId !== null,
        tags: pick([null, null, ['blue'], ['blue', 'team:blue'], ['Blue', 'blu']]),
      });
      const status = pick(orderStatuses);
      const [charged, atBid] = [BigInt(index), 2n ** 61n + BigInt(index)];
      await end(order, status, { charged, atBid });
      const refunded = status === 'done' && index % 3 === 0 ? charged / 2n : 0n;
      if (refunded > 0n) {
        const transfers = new Transfers({ db: opened.db, clock, ids });
        await transfers.refund(accountId, refunded, { orderId: order.id }, COMMAND_LINE);
      }
      const isDone = status === 'done';
      return { order, status, charged: isDone ? charged - refunded : 0n, atBid: isDone ? atBid : 0n };
    }

    async function end(order: OrderRow, status: OrderStatus, cost: { charged: bigint; atBid: bigint }): Promise<void> {
      const atMs = order.createdAtMs + 1;
      if (status === 'done' || status === 'executing' || status === 'error') {
        await journal.write(acceptUnit(order, { admission: admissionOf(cost.charged, { atMs }) }));
        const ended = { orderId: order.id, accountId, attempt: 1, finishedAtMs: atMs };
        if (status === 'error')
          await journal.write({ kind: 'fail', ...ended, error: 'backend_error', errorMessage: 'x' });
        if (status !== 'done') return;
        const pricing = order.limit === null ? 'fixed' : 'market';
        await journal.write(settleUnit(order, cost.charged, { atBid: cost.atBid, finishedAtMs: atMs, pricing }));
        return;
      }
      await journal.write(acceptUnit(order));
      if (status === 'queued') return;
      const why = { error: `order_${status}`, errorMessage: 'x', finishedAtMs: atMs };
      await journal.write({ kind: 'close', orderId: order.id, accountId: order.accountId, status, ...why });
    }

    function anyOf(change: Partial<OrderFilter>): OrderFilter {
      const none = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };
      return { accountId, keyId: null, ...none, ...change };
    }

    function isIn({ order, status }: Lived, filter: OrderFilter): boolean {
      return (
        (filter.keyId === null || filter.keyId === order.keyId) &&
        (filter.statuses?.includes(status) ?? true) &&
        (filter.model ?? order.model) === order.model &&
        (filter.kind ?? order.kind) === order.kind &&
        (filter.tag == null || (order.tags ?? []).includes(filter.tag)) &&
        (filter.batchId === null || filter.batchId === (order.batchId ?? 'none')) &&
        order.id.startsWith(filter.idPrefix ?? '') &&
        order.createdAtMs >= (filter.fromMs ?? 0) &&
        order.createdAtMs <= (filter.toMs ?? Number.MAX_SAFE_INTEGER)
      );
    }

    function counted(filter: OrderFilter): OrderTotals {
      const rows = lived.filter((one) => isIn(one, filter));
      const market = rows.filter(({ order }) => order.limit !== null);
      const sum = (list: Lived[], of: (one: Lived) => bigint) => list.reduce((total, one) => total + of(one), 0n);
      const atBid = sum(market, (one) => one.atBid);
      return {
        orders: rows.length,
        failed: rows.filter(({ status }) => status === 'error' || status === 'expired').length,
        marketOrders: market.length,
        charged: sum(rows, (one) => one.charged),
        atBid,
        saved: atBid - sum(market, (one) => one.charged),
      };
    }

    function randomFilter(): OrderFilter {
      const hours = random.next() * 6 * 24;
      const time = () =>
        pick([null, startMs + DAY_MS, startMs + Math.floor(pick([hours, Math.floor(hours)]) * HOUR_MS)]);
      const beginning = () => pick(lived).order.id.slice(0, pick([4, 5, 6, 7, 8, 9, 10, 13, 20, 36]));
      return anyOf({
        keyId: pick([null, null, 'key_a', 'key_b', 'key_none']),
        statuses: pick([null, null, [pick(orderStatuses)], ['done', pick(orderStatuses)], []]),
        model: pick([null, null, 'tide-70b', 'brook-8b', 'none-1b']),
        kind: pick([null, null, ...orderKinds]),
        batchId: pick([null, null, 'none', 'batch_a']),
        idPrefix: pick([null, null, null, beginning(), beginning(), 'xyz%', '0000']),
        tag: pick([null, null, null, 'blue', 'Blue', 'team:blue', 'none']),
        fromMs: time(),
        toMs: time(),
      });
    }

    test('the totals of any filter match its rows', async () => {
      const store = createOrderStore(opened.db);
      for (let round = 0; round < 200; round++) {
        const filter = randomFilter();
        assert.deepEqual(await store.totals(filter), counted(filter), JSON.stringify(filter));
      }
    });

    test('orders are found and counted by an id prefix of any length', async () => {
      const store = createOrderStore(opened.db);
      for (const { order } of lived.slice(0, 30)) {
        for (const characters of [4, 5, 6, 7, 8, 9, 11, 13, 15, 36]) {
          const filter = anyOf({ idPrefix: order.id.slice(0, characters) });
          assert.deepEqual(await store.totals(filter), counted(filter), JSON.stringify(filter));
          const listed = await store.list(filter, { limit: 500, after: null });
          const expected = lived.filter((one) => isIn(one, filter)).map((one) => one.order.id);
          assert.deepEqual(
            listed.map(({ id }) => id),
            expected.reverse(),
          );
        }
      }
    });

    test('the list of any filter is its rows, newest first', async () => {
      const store = createOrderStore(opened.db);
      for (let round = 0; round < 60; round++) {
        const filter = randomFilter();
        const listed: string[] = [];
        for (let more = true; more; ) {
          const page = await store.list(filter, { limit: 20, after: listed.at(-1) ?? null });
          listed.push(...page.map(({ id }) => id));
          more = page.length === 20;
        }
        const expected = lived.filter((one) => isIn(one, filter)).map(({ order }) => order.id);
        assert.deepEqual(listed, expected.reverse(), JSON.stringify(filter));
      }
    });

    test('orders ended by a start are counted too, and the audit agrees with every total', async () => {
      const before = await createOrderStore(opened.db).totals(anyOf({}));
      await recover(opened.db, { bootEpoch: 2, clock });
      const afterwards = await createOrderStore(opened.db).totals(anyOf({}));
      assert.equal(afterwards.orders, before.orders);
      assert.ok(afterwards.failed > before.failed);
      const { findings } = await audit(opened.db, null);
      assert.deepEqual(
        findings.filter((sentence) => sentence.includes('totals')),
        [],
      );
    });
  });
}
