/** What a repeat with the same Idempotency-Key gets, in every state of the first request, and in races with it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { DAY_MS } from '#base/time.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { Idempotency } from './idempotency.ts';

/** A request with the key `k`; `fingerprint` stands for its content. */
function keyed(change: Parameters<typeof testRequest>[0] = {}, fingerprint = 'f') {
  return testRequest(change, { idempotency: { key: 'k', fingerprint } });
}

const repeatOf = (bench: OrderServiceBench, request = keyed()) => bench.orderService.submit(bench.customer, request);

/** Two requests with one key that both found no earlier order. */
async function race(second = keyed(), first = keyed()) {
  const bench = new OrderServiceBench();
  return { bench, winner: await bench.submit(first), loser: await bench.submit(second) };
}

for (const state of ['queued', 'executing', 'back in the book', 'being settled', 'being stored'] as const) {
  test(`while the first order is ${state}, a repeat gets its id and a Retry-After of a second`, async () => {
    const bench = new OrderServiceBench();
    const { orderId } = state === 'queued' ? await bench.waiting(keyed()) : await bench.running(keyed());
    if (state === 'back in the book') bench.pods.last.end({ kind: 'failed', reason: 'planted' });
    if (state === 'being settled') bench.journal.pause();
    if (state === 'being settled') bench.pods.last.say('Hi').finish();
    if (state === 'being stored') bench.results.failing = true;
    if (state === 'being stored') bench.pods.last.say(LARGE_TEXT).finish();
    await bench.settle();
    await assert.rejects(repeatOf(bench), { code: 'result_pending', retryAfterS: 1, orderId });
  });
}

const unchargedEnds = {
  expired: async (bench: OrderServiceBench) => {
    await bench.waiting(keyed());
    await bench.clock.advance(600_000);
  },
  'failed by its pod': async (bench: OrderServiceBench) => {
    await bench.running(keyed());
    bench.pods.last.say('half').end({ kind: 'failed', reason: 'planted' });
  },
  'refused by the model': async (bench: OrderServiceBench) => {
    await bench.running(keyed());
    bench.pods.last.end({ kind: 'refused', message: 'planted' });
  },
  'refused the money at its admission': async (bench: OrderServiceBench) => {
    const { orderId } = await bench.waiting(keyed());
    bench.setBalance(1n);
    await bench.admit(orderId);
    bench.setBalance(10_000_000_000n);
  },
};
for (const [how, end] of Object.entries(unchargedEnds)) {
  test(`an order that was ${how} frees its key, also for another request`, async () => {
    const bench = new OrderServiceBench();
    await end(bench);
    await bench.settle();
    const { orderId } = await bench.running(keyed({}, 'another'));
    assert.equal(bench.journal.keys.get('acct/chat/k')?.orderId, orderId);
  });
}

test('a request that is refused before there is an order leaves its key unused', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(0n);
  await assert.rejects(repeatOf(bench), { code: 'insufficient_balance' });
  bench.setBalance(10_000_000_000n);
  await bench.running(keyed({}, 'another'));
});

test('a replay needs no money and no place in the queue, and charges nothing', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  const { orderId } = await bench.running(keyed());
  bench.pods.last.say('once').finish();
  await bench.waiting();
  bench.setBalance(0n);
  const asked = bench.commands.length;
  const replay = await repeatOf(bench);
  assert.ok(replay.type === 'replay');
  assert.equal(replay.result.answer.receipt.charged, bench.journal.settled.get(orderId)?.charged);
  assert.deepEqual([bench.commands.length, bench.journal.settled.size], [asked, 1]);
});

test('a request without a valid price is refused although its key has an answer', async () => {
  const bench = new OrderServiceBench();
  await bench.running(keyed());
  bench.pods.last.say('once').finish();
  await bench.settle();
  await assert.rejects(repeatOf(bench, keyed({ limit: null })), { code: 'missing_price_limit' });
});

test('a repeat of an order whose result was deleted is 410 and names the order', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(keyed());
  bench.pods.last.say('once').finish();
  await bench.settle();
  bench.change(orderId, { resultState: 'deleted' });
  await assert.rejects(repeatOf(bench), { code: 'result_unavailable', status: 410, orderId });
});

test('while the result of a done order is not stored yet, a repeat is asked to come back in a second', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(keyed());
  bench.pods.last.say('once').finish();
  await bench.settle();
  bench.change(orderId, { resultState: 'promised' });
  await assert.rejects(repeatOf(bench), { code: 'result_pending', retryAfterS: 1, orderId });
});

test('a key of another endpoint is another key', async () => {
  const bench = new OrderServiceBench();
  await bench.running(keyed());
  await bench.running({ ...keyed({}, 'another'), kind: 'responses' });
  assert.equal(bench.pods.attempts.length, 2);
});

test('a key of another account is another key', async () => {
  const bench = new OrderServiceBench();
  await bench.running(keyed());
  bench.journal.accounts.set('other', { balance: 10_000_000_000n, held: 0n });
  await bench.running(keyed({}, 'another'), { customer: { ...bench.customer, accountId: 'other' } });
  assert.equal(bench.pods.attempts.length, 2);
});

test('a key is kept beyond the longest wait, for the retention and a day', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(keyed({ retentionDays: 2 }));
  const { expiresAtMs } = bench.row(orderId);
  assert.equal(bench.journal.keys.get('acct/chat/k')?.expiresAtMs, expiresAtMs + 3 * DAY_MS);
});

test('a key counts until its expiry, and not from then on', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(keyed());
  const { expiresAtMs = 0 } = bench.journal.keys.get('acct/chat/k') ?? {};
  const at = (nowMs: number) =>
    new Idempotency({ clock: new ManualClock(nowMs), store: bench.journal as never, results: bench.results });
  await assert.rejects(at(expiresAtMs - 1).find(bench.customer, keyed()), { code: 'result_pending', orderId });
  assert.equal(await at(expiresAtMs).find(bench.customer, keyed()), null);
});

for (const state of ['queued', 'executing', 'done'] as const) {
  test(`a detached order that is ${state} is acknowledged again as it was the first time`, async () => {
    const bench = new OrderServiceBench();
    const request = keyed({ detached: true, retentionDays: 3 });
    const ticket = state === 'queued' ? await bench.waiting(request) : await bench.running(request);
    if (state === 'done') bench.pods.last.say('Hi').finish();
    await bench.settle();
    const { orderId, kind, createdAtMs, expiresAtMs } = ticket;
    const order = { orderId, kind, createdAtMs, expiresAtMs, resultStored: true, retentionDays: 3 };
    assert.deepEqual(await repeatOf(bench, request), { type: 'accepted-before', order });
  });
}

test('the key of a detached order that was canceled is free again', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(keyed({ detached: true }));
  await bench.orderService.cancel(wholeAccount('acct'), orderId);
  const again = await bench.waiting(keyed({ detached: true }));
  assert.notEqual(again.orderId, orderId);
});

test('of two requests with one key, the one that commits later gives its slot back', async () => {
  const { bench, winner, loser } = await race();
  await bench.rest(winner.id);
  await bench.admit(loser.id);
  await assert.rejects(loser.submission, { code: 'result_pending', retryAfterS: 1, orderId: winner.id });
  assert.deepEqual([bench.sent('release')[0]?.order, bench.sent('release')[0]?.reason], [loser.id, 'refused']);
});

test('of two requests with one key, the one that commits later leaves the book and the counts', async () => {
  const { bench, winner, loser } = await race();
  await bench.rest(winner.id);
  await bench.rest(loser.id);
  await assert.rejects(loser.submission, { code: 'result_pending' });
  assert.equal(bench.sent('withdraw')[0]?.order, loser.id);
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 0 });
});

test('a different request that commits later with the same key is a mismatch', async () => {
  const { bench, winner, loser } = await race(keyed({}, 'another'));
  await bench.rest(winner.id);
  await bench.rest(loser.id);
  await assert.rejects(loser.submission, { code: 'idempotency_error' });
});

test('a detached request that commits later with the same key is acknowledged with the order of the first', async () => {
  const request = keyed({ detached: true });
  const { bench, winner, loser } = await race(request, request);
  await bench.rest(winner.id);
  await bench.rest(loser.id);
  const submission = await loser.submission;
  assert.equal(submission.type === 'accepted-before' && submission.order.orderId, winner.id);
});

test('a repeat that lost to an order that was canceled at that moment may be retried', async () => {
  const { bench, winner, loser } = await race();
  bench.journal.pause();
  await bench.rest(winner.id);
  await bench.rest(loser.id);
  const canceled = bench.orderService.cancel(wholeAccount('acct'), winner.id);
  bench.journal.resume();
  await canceled;
  await assert.rejects(loser.submission, { code: 'result_pending', retryAfterS: 1 });
  await bench.waiting(keyed());
});

test('a repeat that commits when the first order is done gets its answer', async () => {
  const { bench, winner, loser } = await race();
  await bench.admit(winner.id);
  bench.pods.last.say('once').finish();
  await bench.settle();
  await bench.rest(loser.id);
  const submission = await loser.submission;
  assert.equal(submission.type === 'replay' && submission.result.orderId, winner.id);
});

test('a repeat that is chosen while it is written gives its slot back, and is not run', async () => {
  const { bench, winner, loser } = await race();
  await bench.rest(winner.id);
  bench.journal.pause();
  await bench.rest(loser.id);
  await bench.admit(loser.id);
  bench.journal.resume();
  await assert.rejects(loser.submission, { code: 'result_pending' });
  await bench.settle();
  assert.deepEqual([bench.sent('release')[0]?.order, bench.pods.attempts.length], [loser.id, 0]);
});

/** A key of the account that reads only what it made. */
const narrow = (bench: OrderServiceBench, keyId = 'narrow') => ({ ...bench.customer, keyId, readsOwn: true });

test('a key that reads only its own neither repeats a request of another key, nor is it refused for another content', async () => {
  const bench = new OrderServiceBench();
  const first = await bench.running(keyed());
  const own = await bench.running(keyed({}, 'other content'), { customer: narrow(bench) });
  const third = await bench.running(keyed({}, 'third'), { customer: narrow(bench, 'another') });
  assert.equal(new Set([first, own, third].map(({ orderId }) => orderId)).size, 3);
  await assert.rejects(repeatOf(bench), { code: 'result_pending', orderId: first.orderId });
  const again = bench.orderService.submit(narrow(bench), keyed({}, 'other content'));
  await assert.rejects(again, { code: 'result_pending', orderId: own.orderId });
});

test('a key that becomes narrow or wide between two tries still repeats its own request', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(keyed());
  const narrowed = { ...bench.customer, readsOwn: true };
  await assert.rejects(bench.orderService.submit(narrowed, keyed()), { code: 'result_pending', orderId });
  const other = new OrderServiceBench();
  const own = await other.running(keyed(), { customer: narrow(other) });
  const widened = other.orderService.submit({ ...narrow(other), readsOwn: false }, keyed());
  await assert.rejects(widened, { code: 'result_pending', orderId: own.orderId });
});
