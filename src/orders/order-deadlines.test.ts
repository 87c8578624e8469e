/** Orders with deadlines in the order service: the bid is the market's, the money stays below the limit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { deadlineMsOf } from './expiry-timer.ts';

const LIMIT = 5e9;
const HOUR_MS = 3_600_000;
const patient = (change = {}) => testRequest({ limit: LIMIT, deadline: { inS: 3600 }, detached: true, ...change });
const seqs = { model: 'tide', seq: 100 };

/** An order that rests at the market's bid. */
async function resting(bench: OrderServiceBench, bid = 2e9): Promise<string> {
  const { id } = await bench.submit(patient());
  await bench.emit({ type: 'rested', ...seqs, order: id, restedSeq: 5, bid });
  return id;
}

test('it is sent with its limit and its deadline, at which it expires, and is stored at the bid of the market', async () => {
  const bench = new OrderServiceBench();
  const byMs = bench.clock.nowMs() + HOUR_MS;
  const id = await resting(bench);
  assert.deepEqual(bench.sent('rest').at(-1)?.deadline, { limit: LIMIT, byMs });
  const { bid, limit, deadlineMs, expiresAtMs } = bench.row(id);
  assert.deepEqual([bid, limit, deadlineMs, expiresAtMs], [2e9, LIMIT, byMs, byMs]);
});

test('an order without a deadline says nothing of one', async () => {
  const bench = new OrderServiceBench();
  const { id } = await bench.submit();
  await bench.rest(id);
  assert.ok(bench.sent('rest').every((rest) => !('deadline' in rest)));
  assert.equal(bench.row(id).deadlineMs ?? null, null);
});

test('a move of the market is written, and keeps the limit', async () => {
  const bench = new OrderServiceBench();
  const id = await resting(bench);
  await bench.emit({ type: 'moved', ...seqs, order: id, bid: 3e9, restedSeq: 9 });
  const { bid, limit, restedSeq } = bench.row(id);
  assert.deepEqual([bid, limit, restedSeq], [3e9, LIMIT, 9]);
});

test('a move above the limit that is known here is written as the limit', async () => {
  const bench = new OrderServiceBench();
  const id = await resting(bench);
  await bench.emit({ type: 'moved', ...seqs, order: id, bid: 9e9, restedSeq: 9 });
  assert.deepEqual([bench.row(id).bid, bench.row(id).limit], [LIMIT, LIMIT]);
});

test('the admission that follows pays at most the bid that was moved', async () => {
  const bench = new OrderServiceBench();
  const id = await resting(bench);
  bench.journal.pause();
  await bench.emit({ type: 'moved', ...seqs, order: id, bid: 3e9, restedSeq: 9 });
  await bench.emit({
    type: 'admit',
    ...seqs,
    order: id,
    attempt: 1,
    restedSeq: 9,
    pod: 'p',
    level: 4e9,
    levelSeq: 1,
    bid: 3e9,
  });
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual([bench.row(id).status, bench.row(id).price, bench.row(id).bid], ['executing', 3e9, 3e9]);
});

test('one that starts at once pays at most the bid that the market names, and never more than its limit', async () => {
  for (const [named, paid] of [
    [1e9, 1e9],
    [9e9, LIMIT],
  ] as const) {
    const bench = new OrderServiceBench();
    const { id } = await bench.submit(patient());
    await bench.emit({
      type: 'admit',
      ...seqs,
      order: id,
      attempt: 1,
      restedSeq: 5,
      pod: 'p',
      level: 8e9,
      levelSeq: 1,
      bid: named,
    });
    await bench.settle();
    assert.deepEqual([bench.row(id).price, bench.row(id).bid], [paid, paid]);
  }
});

test('a bound of the charge holds beside it: checked at the limit, and met at whatever the market bids', async () => {
  const bounded = (maxChargeNano: number) => patient({ maxChargeNano });
  // The input and one output token at the limit: 104 tokens at 5 dollars, by the ratio of the listing.
  const least = 1_925_926;
  const bench = new OrderServiceBench();
  await assert.rejects((await bench.submit(bounded(least - 1))).submission, { code: 'max_charge_too_low' });
  assert.equal(bench.funds.held, 0n);
  for (const [level, cap] of [
    [LIMIT, 1],
    [2.5e9, 27],
    [1e9, 50],
  ] as const) {
    const { id } = await bench.submit(bounded(least));
    await bench.emit({ type: 'rested', ...seqs, order: id, restedSeq: 5, bid: level });
    const admitted = { type: 'admit', ...seqs, order: id, attempt: 1, restedSeq: 5, pod: 'p', levelSeq: 1 } as const;
    await bench.emit({ ...admitted, level: 90e9, bid: level });
    await bench.settle();
    const { price, hold, maxCharge, deadlineMs } = bench.row(id);
    assert.deepEqual([bench.pods.last.request.outputCap, price, maxCharge], [cap, level, BigInt(least)]);
    assert.ok(hold > 0n && hold <= BigInt(least) && deadlineMs !== null, `holds ${hold}`);
  }
});

test('a move that comes after the admission, or for an order that has ended, changes nothing', async () => {
  const bench = new OrderServiceBench();
  const id = await resting(bench);
  await bench.admit(id);
  for (const order of [id, 'gone']) await bench.emit({ type: 'moved', ...seqs, order, bid: 4e9, restedSeq: 9 });
  assert.equal(bench.row(id).bid, 2e9);
  assert.ok(bench.journal.units.every(({ kind }) => kind !== 'reprice'));
});

test('a new price is a new limit; the market says the bid, and nobody takes a move for its answer', async () => {
  const bench = new OrderServiceBench();
  const id = await resting(bench);
  const answer = bench.orderService.reprice(wholeAccount('acct'), [id], 7e9);
  await bench.settle();
  await bench.emit({ type: 'moved', ...seqs, order: id, bid: 3e9, restedSeq: 9 });
  assert.equal(bench.row(id).limit, LIMIT);
  await bench.emit({ type: 'repriced', ...seqs, order: id, bid: 3.5e9, limit: 7e9, restedSeq: 10 });
  assert.deepEqual(await answer, [{ orderId: id, refusal: null }]);
  await bench.emit({ type: 'moved', ...seqs, order: id, bid: 4e9, restedSeq: 11 });
  const { bid, limit } = bench.row(id);
  assert.deepEqual([bid, limit], [4e9, 7e9]);
});

test('an order that outlives its process rests again with its deadline, and so for a new owner of the market', async () => {
  const before = new OrderServiceBench();
  const id = await resting(before);
  await before.emit({ type: 'moved', ...seqs, order: id, bid: 3e9, restedSeq: 9 });
  const row = before.row(id);
  const after = new OrderServiceBench();
  after.orderService.recover([row]);
  await after.settle();
  const deadline = { limit: LIMIT, byMs: row.expiresAtMs };
  const { rests } = after.orderService.standing('tide');
  for (const rest of [after.sent('rest').at(-1), rests[0]])
    assert.deepEqual([rest?.bid, rest?.restedSeq, rest?.deadline], [3e9, 9, deadline]);
});

test('the account of a caller who locks by default is no reason to lock an order with a deadline', async () => {
  const bench = new OrderServiceBench();
  const { id } = await bench.submit(patient({ detached: false }), { customer: { ...bench.customer, priceLock: true } });
  assert.equal(bench.sent('rest').find(({ order }) => order === id)?.lockLimit, null);
});

const bounds = { minS: 10, maxS: 86_400, lockWindowS: 10 };
const leftOf = (deadline: { inS: number } | { atMs: number }) =>
  (deadlineMsOf(testRequest({ deadline }), bounds, 5_000) ?? Number.NaN) - 5_000;

test('a deadline is held within the bounds of a wait, and must lie ahead, within thirty days', () => {
  assert.equal(leftOf({ inS: 60 }), 60_000);
  assert.equal(leftOf({ inS: 1 }), 10_000);
  assert.equal(leftOf({ inS: 2_592_000 }), 86_400_000);
  assert.equal(leftOf({ atMs: 65_000 }), 60_000);
  assert.equal(leftOf({ atMs: 5_001 }), 10_000);
  for (const atMs of [5_000, -1, 5_001 + 2_592_000_000])
    assert.throws(
      () => leftOf({ atMs }),
      (error) => error instanceof Fault && error.code === 'invalid_request' && error.param === 'deadline',
    );
  assert.equal(deadlineMsOf(testRequest(), bounds, 5_000), null);
});
