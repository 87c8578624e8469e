import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { CONFIRMATION_MS } from './repricing.ts';

/** A bench on which the test plays the exchange, with functions to reprice and to answer. */
function repricingBench(...options: ConstructorParameters<typeof OrderServiceBench>) {
  const bench = new OrderServiceBench(...options);
  const ask = (ids: readonly string[], limit = 7e9, accountId = 'acct') =>
    bench.orderService.reprice(wholeAccount(accountId), ids, limit);
  const codes = async (ids: readonly string[], limit?: number, accountId?: string) =>
    (await ask(ids, limit, accountId)).map(({ refusal }) => refusal);
  const moved = (order: string, bid = 7e9, restedSeq = 50) =>
    bench.emit({ type: 'repriced', model: 'tide', seq: 100, order, bid, restedSeq });
  const notResting = (order: string) => bench.emit({ type: 'not-resting', model: 'tide', seq: 100, order });
  return { bench, ask, codes, moved, notResting };
}

const isUnconfirmed = (error: unknown) =>
  error instanceof Fault && error.code === 'unavailable' && error.retryAfterS === CONFIRMATION_MS / 1000;

test('a queued order rests at its new price once that has committed, and expires as before', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const { expiresAtMs } = bench.row(orderId);
  const answer = ask([orderId]);
  let answered = false;
  void answer.then(() => {
    answered = true;
  });
  await bench.settle();
  assert.deepEqual(bench.sent('reprice'), [{ type: 'reprice', model: 'tide', order: orderId, bid: 7e9 }]);
  bench.journal.pause();
  await moved(orderId);
  assert.equal(answered, false);
  bench.journal.resume();
  assert.deepEqual(await answer, [{ orderId, refusal: null }]);
  const row = bench.row(orderId);
  assert.deepEqual([row.bid, row.limit, row.restedSeq, row.expiresAtMs], [7e9, 7e9, 50, expiresAtMs]);
});

test('an admission that follows at once is charged at most the new price', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId], 2e9);
  await bench.settle();
  bench.journal.pause();
  await moved(orderId, 2e9);
  await bench.admit(orderId, { level: 4e9 });
  bench.journal.resume();
  await answer;
  await bench.settle();
  assert.deepEqual([bench.row(orderId).status, bench.row(orderId).price], ['executing', 2e9]);
  assert.deepEqual(
    bench.journal.units.slice(-2).map(({ kind }) => kind),
    ['reprice', 'admit'],
  );
});

test('an order that failed and came back to the book rests at its new price', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId]);
  await bench.settle();
  await moved(orderId);
  await answer;
  await bench.admit(orderId);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  assert.equal(bench.sent('rest').at(-1)?.bid, 7e9);
});

test('running, ended, unknown and foreign orders are not queued, and the exchange is not asked', async () => {
  const { bench, codes } = repricingBench();
  const [running, canceled, mine] = [await bench.running(), await bench.waiting(), await bench.waiting()];
  await bench.orderService.cancel(wholeAccount('acct'), canceled.orderId);
  assert.deepEqual(await codes([running.orderId, canceled.orderId, 'no-such-order', '']), Array(4).fill('not_queued'));
  assert.deepEqual(await codes([mine.orderId], 7e9, 'other'), ['not_queued']);
  assert.equal(bench.sent('reprice').length, 0);
});

test('an order whose caller has not been answered yet is not queued', async () => {
  const { bench, codes } = repricingBench();
  bench.journal.pause();
  const { id, submission } = await bench.submit();
  await bench.rest(id);
  assert.deepEqual(await codes([id]), ['not_queued']);
  bench.journal.resume();
  await submission;
});

test('a lock, an order on fixed prices, and one whose worst case the balance does not cover stay as they are', async () => {
  const { bench, codes } = repricingBench({ level: 9_001e9 });
  const lock = await bench.waiting(testRequest({ priceLock: true, limit: 5e9 }));
  const plain = await bench.waiting();
  assert.deepEqual(await codes([lock.orderId]), ['price_locked']);
  // The hold at 1 dollar is 1,111,112 nano-dollars; the balance is 10 dollars.
  assert.deepEqual(await codes([lock.orderId, plain.orderId], 9_001e9), ['price_locked', 'too_large']);
  const tariff = tariffOf('fixed', { cached: '0.1', uncached: '1', output: '5' });
  const fixed = repricingBench({ listings: [benchListing({ type: 'fixed', tariff })] });
  const turn = await fixed.bench.waiting(testRequest({ limit: null }));
  assert.deepEqual(await fixed.codes([turn.orderId]), ['fixed_price_model']);
});

test('a price whose worst case is the whole balance is taken, money that arrived a moment ago included', async () => {
  const { bench, ask, codes, moved } = repricingBench({ level: 10e9 });
  const { orderId } = await bench.waiting();
  bench.setBalance(11_111_111n);
  assert.deepEqual(await codes([orderId], 10e9), ['too_large']);
  bench.credit(1n);
  const answer = ask([orderId], 10e9);
  await bench.settle();
  await moved(orderId, 10e9);
  assert.deepEqual(await answer, [{ orderId, refusal: null }]);
});

test('a price above the level is taken where a new order at it would be, and none is too large at level 0', async () => {
  for (const [level, balance] of [
    [1e9, 1_111_112n],
    [0, 0n],
  ] as const) {
    const { bench, ask, moved } = repricingBench({ level });
    const { orderId } = await bench.waiting();
    bench.setBalance(balance);
    const answer = ask([orderId], 9_001e9);
    await bench.settle();
    await moved(orderId, 9_001e9);
    assert.deepEqual(await answer, [{ orderId, refusal: null }]);
  }
});

test('an order that the market has chosen meanwhile is unavailable while its admission is being written', async () => {
  const { bench, ask, codes, notResting } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId]);
  await bench.settle();
  bench.journal.pause();
  await bench.admit(orderId);
  await notResting(orderId);
  assert.deepEqual(await answer, [{ orderId, refusal: 'unavailable' }]);
  assert.deepEqual(await codes([orderId]), ['unavailable']);
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual(await codes([orderId]), ['not_queued']);
});

test('an order that ended before the market answered is not queued, and nothing is written', async () => {
  for (const answered of ['repriced', 'not-resting']) {
    const { bench, ask, moved, notResting } = repricingBench();
    const { orderId } = await bench.waiting();
    const answer = ask([orderId]);
    await bench.settle();
    await bench.orderService.cancel(wholeAccount('acct'), orderId);
    await (answered === 'repriced' ? moved(orderId) : notResting(orderId));
    assert.deepEqual(await answer, [{ orderId, refusal: 'not_queued' }]);
    assert.ok(bench.journal.units.every(({ kind }) => kind !== 'reprice'));
  }
});

test('of two prices for one order the later one wins, and both callers are answered', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const [first, second] = [ask([orderId], 6e9), ask([orderId], 8e9)];
  await bench.settle();
  await moved(orderId, 6e9, 51);
  await moved(orderId, 8e9, 52);
  assert.deepEqual([await first, await second], [[{ orderId, refusal: null }], [{ orderId, refusal: null }]]);
  assert.deepEqual([bench.row(orderId).bid, bench.row(orderId).restedSeq], [8e9, 52]);
});

test('a market that does not confirm in time is reported, and its change is applied when it comes', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId]);
  const refused = assert.rejects(answer, isUnconfirmed);
  await bench.clock.advance(CONFIRMATION_MS - 1);
  assert.equal(bench.row(orderId).bid, 5e9);
  await bench.clock.advance(1);
  await refused;
  await moved(orderId);
  assert.equal(bench.row(orderId).bid, 7e9);
});

test('a commit that does not come in time is reported the same way', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const refused = assert.rejects(ask([orderId]), isUnconfirmed);
  await bench.settle();
  bench.journal.pause();
  await moved(orderId);
  await bench.clock.advance(CONFIRMATION_MS);
  await refused;
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(orderId).bid, 7e9);
});

test('a busy machine has seconds to confirm', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId]);
  await bench.clock.advance(4_000);
  await moved(orderId);
  assert.deepEqual(await answer, [{ orderId, refusal: null }]);
});

test('a price that cannot be written is unavailable', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const answer = ask([orderId]);
  await bench.settle();
  bench.journal.failNext = 'reprice';
  await moved(orderId);
  assert.deepEqual(await answer, [{ orderId, refusal: 'unavailable' }]);
});

test('a gateway that closes reprices nothing', async () => {
  const { bench, ask } = repricingBench();
  const { orderId } = await bench.waiting(testRequest({ detached: true }));
  await bench.orderService.drain(0);
  await assert.rejects(ask([orderId]), { code: 'unavailable' });
});

test('an answer that never comes does not take the next one, which another caller waits for', async () => {
  const { bench, ask, moved } = repricingBench();
  const { orderId } = await bench.waiting();
  const lost = ask([orderId], 6e9);
  const other = ask([orderId], 7e9);
  await bench.settle();
  await moved(orderId, 7e9);
  assert.deepEqual(await other, [{ orderId, refusal: null }]);
  const unconfirmed = assert.rejects(lost, isUnconfirmed);
  await bench.clock.advance(CONFIRMATION_MS);
  await unconfirmed;
});

test('a caller who was answered that the market did not confirm waits for no answer any more', async () => {
  const { bench, ask, moved, notResting } = repricingBench();
  const { orderId } = await bench.waiting();
  const lost = ask([orderId], 6e9);
  await bench.settle();
  const unconfirmed = assert.rejects(lost, isUnconfirmed);
  await bench.clock.advance(CONFIRMATION_MS);
  await unconfirmed;
  const next = ask([orderId], 7e9);
  await bench.settle();
  await notResting(orderId);
  assert.deepEqual(await next, [{ orderId, refusal: 'unavailable' }]);
  await moved(orderId, 6e9);
  assert.equal(bench.row(orderId).bid, 6e9, 'the late change is applied');
});
