import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { wholeAccount } from '#base/reach.ts';
import { emptyDisk } from '#testing/empty-disk.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { RESULTS_GATHERING_MS, ResultKeeper } from './keeper.ts';
import { decodeResult } from './result.ts';

const USAGE = { promptTokens: 10, cachedTokens: 4, outputTokens: 5 };

/** Settles one order of the bench whose answer is too large for its settlement, and returns the order's id. */
async function settled(bench: OrderServiceBench, request = testRequest()): Promise<string> {
  const ticket = await bench.running(request);
  bench.pods.last.say(LARGE_TEXT).finish(USAGE);
  await ticket.outcome;
  return ticket.orderId;
}

test('an answer that was sent is stored afterwards, and expires by the time at which its order ended', async () => {
  const bench = new OrderServiceBench();
  const orderId = await settled(bench);
  assert.equal(bench.row(orderId).resultState, 'promised');
  await bench.clock.advance(RESULTS_GATHERING_MS);
  const row = bench.row(orderId);
  assert.deepEqual([row.status, row.resultState], ['done', 'stored']);
  assert.equal(row.resultExpiresAtMs, (row.finishedAtMs ?? 0) + 30 * 86_400_000);
  const result = await bench.results.get(orderId);
  assert.deepEqual(result && decodeResult(result).answer.generation.text, LARGE_TEXT);
});

test('a small answer is stored by the settlement itself, even if the disk fails', async () => {
  for (const wish of [{}, { detached: true }]) {
    const bench = new OrderServiceBench();
    bench.results.failing = true;
    const ticket = await bench.running(testRequest(wish));
    bench.pods.last.say('Hi').finish(USAGE);
    await ticket.outcome;
    assert.deepEqual([bench.row(ticket.orderId).status, bench.row(ticket.orderId).resultState], ['done', 'stored']);
    const result = await bench.results.get(ticket.orderId);
    assert.equal(result && decodeResult(result).answer.generation.text, 'Hi');
  }
});

test('nothing is stored of a request that is not to be kept', async () => {
  const bench = new OrderServiceBench();
  for (const wish of [{ store: false }, { retentionDays: 0 }]) {
    const orderId = await settled(bench, testRequest(wish));
    await bench.clock.advance(RESULTS_GATHERING_MS);
    assert.deepEqual([bench.row(orderId).resultState, bench.row(orderId).resultExpiresAtMs], ['none', null]);
  }
  assert.equal(bench.results.blobs.size, 0);
});

test('an answer that cannot be written is given up, and its order says so', async () => {
  const bench = new OrderServiceBench();
  bench.results.failing = true;
  const orderId = await settled(bench);
  await bench.clock.advance(RESULTS_GATHERING_MS);
  assert.equal(bench.row(orderId).resultState, 'deleted');
});

test('an answer that was deleted before it was stored does not come back', async () => {
  const bench = new OrderServiceBench();
  const orderId = await settled(bench);
  bench.change(orderId, { resultState: 'deleted' });
  await bench.clock.advance(RESULTS_GATHERING_MS);
  assert.deepEqual([bench.row(orderId).resultState, bench.results.blobs.size], ['deleted', 0]);
});

test('a promised answer is stored before its order is done, however long the disk takes', async () => {
  const bench = new OrderServiceBench();
  bench.results.failing = true;
  const ticket = await bench.running(testRequest({ detached: true }));
  bench.pods.last.say(LARGE_TEXT).finish(USAGE);
  await bench.clock.advance(1000);
  assert.equal(bench.row(ticket.orderId).status, 'executing');
  bench.results.failing = false;
  await bench.clock.advance(1000);
  assert.deepEqual([bench.row(ticket.orderId).status, bench.row(ticket.orderId).resultState], ['done', 'stored']);
});

test('an answer is stored as that of the attempt that made it', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(testRequest({ detached: true }));
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  await bench.admit(ticket.orderId, { attempt: 2 });
  bench.pods.last.say(LARGE_TEXT).finish(USAGE);
  await bench.settle();
  assert.deepEqual([...bench.results.attempts], [[ticket.orderId, 2]]);
});

test('an order that ends uncharged stores nothing', async () => {
  const bench = new OrderServiceBench();
  const waiting = await bench.waiting();
  await bench.orderService.cancel(wholeAccount('acct'), waiting.orderId);
  await bench.clock.advance(RESULTS_GATHERING_MS);
  assert.equal(bench.results.blobs.size, 0);
});

test('a drain stores the answers that were sent before it ends', async () => {
  const bench = new OrderServiceBench();
  const orderId = await settled(bench);
  await bench.orderService.drain(0);
  assert.equal(bench.row(orderId).resultState, 'stored');
});

test('one account that leaves many results for a slow disk leaves room for those of others', async () => {
  const removed: string[] = [];
  const keeper = new ResultKeeper({
    clock: new ManualClock(),
    log: silentLog,
    disk: emptyDisk(),
    results: { putLightly: () => new Promise(() => {}) } as never,
    journal: {
      write: async (unit: { readonly accountId: string }) => {
        removed.push(unit.accountId);
        return { result: 'changed' };
      },
    } as never,
  });
  const result = { orderId: 'order', attempt: 1, text: '', bytes: 2 ** 20 };
  for (let kept = 0; kept < 100; kept++) keeper.keep('greedy', result);
  for (let kept = 0; kept < 10; kept++) keeper.keep('modest', result);
  for (let kept = 0; kept < 5_000; kept++) keeper.keep('small', { ...result, bytes: 1 });
  keeper.keep('modest', { ...result, bytes: 1 });
  assert.deepEqual([...new Set(removed)], ['greedy', 'small']);
});
