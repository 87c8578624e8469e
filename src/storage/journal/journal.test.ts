/** One test suite for the journal, on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import type { OrderRow } from '#orders/order.ts';
import type { IdempotencyRow } from '#orders/units.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createOrderStore } from '../orders/store.ts';
import type { Journal } from './journal.ts';
import type { JournalOutcome, JournalUnit } from './units.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`journal on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
    });
    after(() => opened?.drop());

    const account = (balance: bigint) => fundedAccount(opened.db, clock, balance);
    async function funds(id: string): Promise<[bigint, bigint]> {
      const row = await new Accounts({ db: opened.db, clock, ids }).show(id);
      return [row.balance, row.held];
    }
    async function stored(order: OrderRow): Promise<OrderRow> {
      const row = await createOrderStore(opened.db).find(wholeAccount(order.accountId), order.id);
      assert.ok(row);
      return row;
    }
    /** Writes a unit twice, as after a commit whose reply was lost: both outcomes must be equal. */
    async function twice<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcome<Unit>> {
      const outcome = await journal.write(unit);
      assert.deepEqual(await journal.write(unit), outcome);
      return outcome;
    }

    test('a queued order is stored as it was given', async () => {
      const order = orderRow({ accountId: await account(0n), bid: 10 ** 18, limit: 10 ** 18, keyId: 'k' });
      assert.deepEqual(await twice(acceptUnit(order)), { result: 'queued' });
      assert.deepEqual(await stored(order), { ...order, usage: null });
    });

    test('an order that runs at once holds its worst case', async () => {
      const order = orderRow({ accountId: await account(100n) });
      const outcome = await twice(acceptUnit(order, { admission: admissionOf(60n) }));
      assert.deepEqual(outcome, { result: 'executing', funds: { balance: 100n, held: 60n } });
      const row = await stored(order);
      assert.deepEqual([row.status, row.hold, row.attempt, row.pod], ['executing', 60n, 1, 'sim-1']);
    });

    test('an order is parked while other holds of its account are in the way', async () => {
      const accountId = await account(100n);
      await journal.write(acceptUnit(orderRow({ accountId }), { admission: admissionOf(60n) }));
      const order = orderRow({ accountId });
      const outcome = await twice(acceptUnit(order, { admission: admissionOf(60n, { restedSeq: 7 }) }));
      assert.deepEqual(outcome, { result: 'parked', funds: { balance: 100n, held: 60n } });
      const row = await stored(order);
      assert.deepEqual([row.status, row.hold, row.attempt, row.restedSeq], ['queued', 0n, 0, 7]);
    });

    test('an order that only lacks money ends in error', async () => {
      const order = orderRow({ accountId: await account(100n), resultState: 'promised' });
      const outcome = await twice(acceptUnit(order, { admission: admissionOf(101n) }));
      assert.deepEqual(outcome, { result: 'unfunded', funds: { balance: 100n, held: 0n } });
      const row = await stored(order);
      assert.deepEqual(
        [row.status, row.error, row.hold, row.finishedAtMs, row.resultState],
        ['error', 'insufficient_balance', 0n, startMs + 1, 'none'],
      );
    });

    test('a worst case of nothing runs on an empty account', async () => {
      const order = orderRow({ accountId: await account(0n) });
      const outcome = await journal.write(acceptUnit(order, { admission: admissionOf(0n) }));
      assert.equal(outcome.result, 'executing');
    });

    test('of 500 parallel orders on a balance for seven, seven run', async () => {
      const accountId = await account(7_999n);
      const writes = Array.from({ length: 500 }, () =>
        journal.write(acceptUnit(orderRow({ accountId }), { admission: admissionOf(1000n) })),
      );
      const results = (await Promise.all(writes)).map(({ result }) => result);
      assert.equal(results.filter((result) => result === 'executing').length, 7);
      assert.equal(results.filter((result) => result === 'parked').length, 493);
      assert.deepEqual(await funds(accountId), [7_999n, 7_000n]);
    });

    test('a queued order is admitted once, parked, or ended for lack of money', async () => {
      const accountId = await account(100n);
      const [runs, waits, ends] = [orderRow({ accountId }), orderRow({ accountId }), orderRow({ accountId })];
      for (const order of [runs, waits, ends]) await journal.write(acceptUnit(order));
      const admit = (order: OrderRow, hold: bigint, attempt = 1) =>
        twice({ kind: 'admit', orderId: order.id, accountId, admission: admissionOf(hold, { attempt }) });

      assert.deepEqual(await admit(runs, 60n), { result: 'executing', funds: { balance: 100n, held: 60n } });
      assert.deepEqual(await admit(runs, 60n, 2), { result: 'gone' });
      assert.deepEqual(await admit(waits, 41n), { result: 'parked', funds: { balance: 100n, held: 60n } });
      assert.equal((await stored(waits)).status, 'queued');
      await journal.write({
        kind: 'requeue',
        orderId: runs.id,
        accountId,
        attempt: 1,
        expiresAtMs: startMs,
        failures: 1,
      });
      assert.deepEqual(await admit(ends, 101n), { result: 'unfunded', funds: { balance: 100n, held: 0n } });
      assert.equal((await stored(ends)).error, 'insufficient_balance');
    });

    test('a settlement charges, releases the hold and writes the usage, once', async () => {
      const accountId = await account(100n);
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      const outcome = await twice(settleUnit(order, 42n));
      assert.deepEqual(outcome, { result: 'settled', charged: 42n, writtenOff: 0n, funds: { balance: 58n, held: 0n } });
      const row = await createOrderStore(opened.db).find(wholeAccount(accountId), order.id);
      assert.equal(row?.status, 'done');
      assert.deepEqual(row?.usage, {
        promptTokens: 100,
        cachedTokens: 90,
        outputTokens: 5,
        charged: 42n,
        estimated: false,
      });
      assert.deepEqual(await funds(accountId), [58n, 0n]);
    });

    test('a charge above the hold takes what is free, and the rest is written off', async () => {
      const accountId = await account(100n);
      const [small, other] = [orderRow({ accountId }), orderRow({ accountId })];
      await journal.write(acceptUnit(other, { admission: admissionOf(30n) }));
      await journal.write(acceptUnit(small, { admission: admissionOf(50n) }));
      const outcome = await twice(settleUnit(small, 90n));
      assert.deepEqual(outcome, {
        result: 'settled',
        charged: 70n,
        writtenOff: 20n,
        funds: { balance: 30n, held: 30n },
      });
    });

    test('a charge above its bound takes that, and the rest is written off', async () => {
      const accountId = await account(100n);
      const order = orderRow({ accountId, maxCharge: 50n });
      await journal.write(acceptUnit(order, { admission: admissionOf(50n) }));
      const outcome = await twice(settleUnit(order, 90n, { maxCharge: 50n }));
      const left = { balance: 50n, held: 0n };
      assert.deepEqual(outcome, { result: 'settled', charged: 50n, writtenOff: 40n, funds: left });
      assert.equal((await createOrderStore(opened.db).find(wholeAccount(accountId), order.id))?.maxCharge, 50n);
    });

    test('a settlement that names another hold than that of its order is rejected, and changes nothing', async () => {
      const accountId = await account(100n);
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      await assert.rejects(journal.write(settleUnit(order, 42n, { hold: 59n })), /does not hold 59/);
      assert.equal((await stored(order)).status, 'executing');
      assert.deepEqual(await funds(accountId), [100n, 60n]);
      assert.equal((await journal.write(settleUnit(order, 42n))).result, 'settled');
    });

    test('the late finish of an abandoned attempt changes nothing', async () => {
      const accountId = await account(100n);
      const order = orderRow({ accountId });
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      const requeue = {
        kind: 'requeue',
        orderId: order.id,
        accountId,
        attempt: 1,
        expiresAtMs: startMs + 9,
        failures: 1,
      };
      assert.equal((await twice({ ...requeue, kind: 'requeue' })).result, 'released');
      const row = await stored(order);
      assert.deepEqual(
        [row.status, row.hold, row.admittedAtMs, row.price, row.attempt, row.firstPrice, row.failures],
        ['queued', 0n, null, null, 1, 500_000_000, 1],
      );
      assert.deepEqual(await journal.write(settleUnit(order, 42n)), { result: 'stale' });

      const admission = admissionOf(60n, { attempt: 2 });
      await journal.write({ kind: 'admit', orderId: order.id, accountId, admission });
      assert.deepEqual(await journal.write(settleUnit(order, 42n)), { result: 'stale' });
      assert.equal((await journal.write(settleUnit(order, 42n, { attempt: 2 }))).result, 'settled');
      assert.deepEqual(await funds(accountId), [58n, 0n]);
    });

    test('a failed order releases its hold and is not charged', async () => {
      const accountId = await account(100n);
      const order = orderRow({ accountId, resultState: 'promised' });
      await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
      const outcome = await twice({
        kind: 'fail',
        orderId: order.id,
        accountId,
        attempt: 1,
        finishedAtMs: startMs + 3,
        error: 'backend_error',
        errorMessage: 'It failed.',
      });
      assert.deepEqual(outcome, { result: 'released', funds: { balance: 100n, held: 0n } });
      const row = await stored(order);
      assert.deepEqual([row.status, row.error, row.resultState], ['error', 'backend_error', 'none']);
    });

    test('only a queued order is closed, repriced or gets a place', async () => {
      const accountId = await account(100n);
      const [queued, runs] = [orderRow({ accountId }), orderRow({ accountId })];
      await journal.write(acceptUnit(queued));
      await journal.write(acceptUnit(runs, { admission: admissionOf(1n) }));
      const close = (order: OrderRow) =>
        twice({
          kind: 'close',
          orderId: order.id,
          accountId,
          status: 'canceled',
          error: 'order_canceled',
          errorMessage: 'Canceled.',
          finishedAtMs: startMs + 4,
        });
      const reprice = (order: OrderRow) => twice({ kind: 'reprice', orderId: order.id, bid: 5, restedSeq: 9 });

      assert.equal((await reprice(queued)).result, 'changed');
      assert.equal((await reprice(runs)).result, 'stale');
      const row = await stored(queued);
      assert.deepEqual([row.bid, row.limit, row.restedSeq], [5, 5, 9]);
      assert.equal((await close(queued)).result, 'changed');
      assert.equal((await close(runs)).result, 'stale');
      assert.equal((await reprice(queued)).result, 'stale');
      assert.equal((await stored(queued)).status, 'canceled');
    });

    function keyOf(order: OrderRow, key = 'k-1'): IdempotencyRow {
      const { accountId, id: orderId } = order;
      return {
        accountId,
        endpoint: 'chat',
        key,
        orderId,
        fingerprint: 'f',
        createdAtMs: order.createdAtMs,
        expiresAtMs: order.createdAtMs + 1000,
      };
    }
    const keyed = (order: OrderRow) =>
      acceptUnit(order, {
        idempotency: keyOf(order),
        body: JSON.stringify({ messages: [{ role: 'user', content: 'é' }] }),
      });

    test('a hundred parallel requests with one key make one order', async () => {
      const accountId = await account(0n);
      const orders = Array.from({ length: 100 }, () => orderRow({ accountId, outlives: true }));
      const outcomes = await Promise.all(orders.map((order) => journal.write(keyed(order))));
      const [winner] = orders;
      assert.ok(winner);
      assert.deepEqual(outcomes[0], { result: 'queued' });
      for (const outcome of outcomes.slice(1)) {
        assert.deepEqual(outcome, { result: 'key-taken', existing: keyOf(winner) });
      }
      assert.deepEqual(await createOrderStore(opened.db).findKeys(accountId, 'chat', ['k-1']), [keyOf(winner)]);
      assert.equal(await createOrderStore(opened.db).find(wholeAccount(accountId), orders[1]?.id ?? ''), null);
    });

    test('an uncharged end frees the key and drops the kept input; a charged one keeps the key', async () => {
      const accountId = await account(100n);
      const store = createOrderStore(opened.db);
      const canceled = orderRow({ accountId, outlives: true });
      await twice(keyed(canceled));
      assert.deepEqual(await store.body(canceled.id), { messages: [{ role: 'user', content: 'é' }] });
      await journal.write({
        kind: 'close',
        orderId: canceled.id,
        accountId,
        status: 'expired',
        error: 'order_expired',
        errorMessage: 'Expired.',
        finishedAtMs: startMs + 5,
      });
      assert.deepEqual(await store.findKeys(accountId, 'chat', ['k-1']), []);
      assert.equal(await store.body(canceled.id), null);

      const settled = orderRow({ accountId, outlives: true, resultState: 'promised' });
      const body = { resultBytes: 7, resultExpiresAtMs: startMs + 3 * 86_400_000 };
      await journal.write({ ...keyed(settled), admission: admissionOf(10n) });
      await journal.write(settleUnit(settled, 10n, { ...body, hold: 10n }));
      const [key] = await store.findKeys(accountId, 'chat', ['k-1']);
      assert.deepEqual([key?.orderId, key?.expiresAtMs], [settled.id, body.resultExpiresAtMs]);
      assert.equal(await store.body(settled.id), null);
      const { resultState, resultExpiresAtMs } = await stored(settled);
      assert.deepEqual([resultState, resultExpiresAtMs], ['stored', body.resultExpiresAtMs]);
    });

    test('the key of an order that ends with its caller is freed by every uncharged end and stays after a charge', async () => {
      const accountId = await account(20n);
      const store = createOrderStore(opened.db);
      const holder = async () => (await store.findKeys(accountId, 'chat', ['k-1']))[0]?.orderId ?? null;
      const begin = async (hold: bigint | null) => {
        const order = orderRow({ accountId });
        const admission = hold === null ? null : admissionOf(hold);
        await twice(acceptUnit(order, { admission, idempotency: keyOf(order) }));
        return order;
      };
      const why = { error: 'x', errorMessage: 'It ended.', finishedAtMs: startMs + 5 };
      const attempt = { accountId, attempt: 1 };
      for (const status of ['canceled', 'expired', 'error'] as const) {
        const { id: orderId } = await begin(null);
        assert.equal(await holder(), orderId);
        await twice({ kind: 'close', orderId, accountId, status, ...why });
        assert.equal(await holder(), null);
      }
      await twice({ kind: 'fail', orderId: (await begin(10n)).id, ...attempt, ...why });
      assert.equal(await holder(), null);
      await begin(30n);
      assert.equal(await holder(), null, 'without the money for it, no key is taken');
      const { id: orderId } = await begin(null);
      await twice({ kind: 'admit', orderId, accountId, admission: admissionOf(30n) });
      assert.equal(await holder(), null);

      const settled = await begin(10n);
      await twice(settleUnit(settled, 10n, { hold: 10n }));
      assert.deepEqual(await store.findKeys(accountId, 'chat', ['k-1']), [keyOf(settled)]);
    });

    test('an expired key is given to the next order', async () => {
      const accountId = await account(0n);
      const store = createOrderStore(opened.db);
      const first = orderRow({ accountId, outlives: true });
      await journal.write(keyed(first));
      const later = orderRow({ accountId, outlives: true, createdAtMs: startMs + 1000 });
      assert.deepEqual(await twice(keyed(later)), { result: 'queued' });
      assert.equal((await store.findKeys(accountId, 'chat', ['k-1']))[0]?.orderId, later.id);
    });

    test('a unit that cannot be applied fails alone', async () => {
      const accountId = await account(100n);
      const good = [orderRow({ accountId }), orderRow({ accountId })];
      const bad = orderRow({ accountId: 'nobody' });
      const writes = [good[0], bad, good[1]].map((order) =>
        order ? journal.write(acceptUnit(order, { admission: admissionOf(10n) })) : Promise.reject(new Error()),
      );
      const [before, failed, behind] = await Promise.allSettled(writes);
      assert.equal(before?.status, 'fulfilled');
      assert.equal(failed?.status, 'rejected');
      assert.equal(behind?.status, 'fulfilled');
      assert.deepEqual(await funds(accountId), [100n, 20n]);
    });

    test('levels are stored in order, and a number never has two levels', async () => {
      const level = (levelSeq: number, price: number) =>
        twice({ kind: 'level', model: 'tide-70b', levelSeq, level: price, atMs: startMs + levelSeq });
      assert.equal((await level(1, 10)).result, 'changed');
      assert.equal((await level(2, 10 ** 15)).result, 'changed');
      assert.equal(
        (await journal.write({ kind: 'level', model: 'tide-70b', levelSeq: 1, level: 11, atMs: 0 })).result,
        'stale',
      );
    });

    test('the house account pays nothing, and its entries still sum to its balance', async () => {
      const { id: accountId } = await new Accounts({ db: opened.db, clock, ids }).house();
      const order = orderRow({ accountId, house: true });
      const outcome = await twice(acceptUnit(order, { admission: admissionOf(60n) }));
      assert.deepEqual(outcome, { result: 'executing', funds: { balance: 0n, held: 0n } });
      const settled = await twice(settleUnit(order, 42n));
      assert.deepEqual(settled, { result: 'settled', charged: 42n, writtenOff: 0n, funds: { balance: 0n, held: 0n } });
    });
  });
}
