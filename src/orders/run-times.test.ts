/** What is reported of how long settled orders took. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunTimes } from '#orders/ports.ts';
import { faultOf, LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

/** Lets an order that bids 5 dollars wait for 3 s, and answers after 400 ms with `outputTokens` in another 2 s. */
async function ran(outputTokens: number, level = 4e9): Promise<readonly RunTimes[]> {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting();
  await bench.clock.advance(3_000);
  await bench.admit(orderId, { level });
  await bench.clock.advance(400);
  bench.pods.last.say('one');
  await bench.clock.advance(2_000);
  bench.pods.last.say(' two').finish({ outputTokens });
  await outcome;
  return bench.runs;
}

test('the wait, the time to the first token, and the tokens a second after it', async () => {
  assert.deepEqual(await ran(41), [
    { model: 'tide', waitMs: 3_000, bidOverLevel: 1.25, firstTokenMs: 400, tokensPerSecond: 20 },
  ]);
});

test('a few tokens say nothing about their pace', async () => {
  assert.deepEqual([(await ran(9))[0]?.tokensPerSecond, (await ran(10))[0]?.tokensPerSecond], [null, 4.5]);
});

test('a bid below the level is its price, and counts as at the level; above a level of 0 it is far above', async () => {
  assert.equal((await ran(41, 90e9))[0]?.bidOverLevel, 1);
  assert.equal((await ran(41, 0))[0]?.bidOverLevel, Number.POSITIVE_INFINITY);
});

test('an order that ran before says nothing about the wait of its bid, and its first token counts from the last start', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  await bench.clock.advance(5_000);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  await bench.admit(orderId, { attempt: 2 });
  await bench.clock.advance(100);
  bench.pods.last.say('one').finish();
  await outcome;
  assert.deepEqual(
    bench.runs.map(({ waitMs, firstTokenMs }) => [waitMs, firstTokenMs]),
    [[null, 100]],
  );
});

test('an answer without output has no first token', async () => {
  const bench = new OrderServiceBench();
  const { outcome } = await bench.running();
  bench.pods.last.finish({ outputTokens: 0 });
  await outcome;
  assert.deepEqual([bench.runs[0]?.firstTokenMs, bench.runs[0]?.tokensPerSecond], [null, null]);
});

test('nothing is reported of probes, or of orders that fail', async () => {
  const bench = new OrderServiceBench();
  const probe = await bench.running(testRequest(), { customer: { ...bench.customer, house: true } });
  bench.pods.last.say('one').finish();
  await probe.outcome;
  const refused = await bench.running();
  bench.pods.last.end({ kind: 'refused', message: 'no' });
  await refused.outcome;
  assert.deepEqual(bench.runs, []);
});

test('the times of a run are kept when its caller was answered before its result was stored', async (t) => {
  const bench = new OrderServiceBench();
  let stored = () => {};
  t.mock.method(
    bench.results,
    'put',
    () =>
      new Promise<void>((resolve) => {
        stored = resolve;
      }),
  );
  const { outcome } = await bench.running(testRequest({ detached: true }));
  await bench.clock.advance(300);
  bench.pods.last.say(LARGE_TEXT).finish();
  await bench.clock.advance(12_000);
  assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
  stored();
  await bench.settle();
  assert.equal(bench.runs[0]?.firstTokenMs, 300);
  assert.equal(bench.ends[0]?.firstTokenMs, 300);
});
