/** Settlement of a run: the tokens that are charged, and what is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedUsage } from '#results/generation.ts';
import { decodeResult } from '#results/result.ts';
import { LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

/** The settlement of an order that produced two words and whose pod reported `usage`. */
async function settledWith(usage: Partial<ReportedUsage> | null, request = testRequest()) {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running(request);
  await bench.clock.advance(1000);
  bench.pods.last.say('one', ' two').finish(usage);
  const end = await outcome;
  const unit = bench.journal.settled.get(orderId);
  assert.ok(unit && end.status === 'done');
  bench.audit();
  return { bench, unit, answer: end.answer };
}

const ESTIMATE = { uncached: 50, cached: 0, output: 2 };

test('usage that is missing is estimated: the prompt uncached, the output as counted', async () => {
  const { unit } = await settledWith(null);
  assert.deepEqual([unit.tokens, unit.estimated], [ESTIMATE, true]);
});

test('usage of 0 tokens is not missing usage, and costs nothing', async () => {
  const { unit } = await settledWith({ promptTokens: 0, cachedTokens: 0, outputTokens: 0 });
  assert.deepEqual([unit.tokens, unit.estimated, unit.charge], [{ uncached: 0, cached: 0, output: 0 }, false, 0n]);
});

for (const [why, usage] of [
  ['more cached tokens than prompt', { promptTokens: 10, cachedTokens: 11 }],
  ['a prompt beyond the context', { promptTokens: 8193 }],
  ['a count below nothing', { outputTokens: -1 }],
] as const) {
  test(`usage with ${why} is replaced by the estimate`, async () => {
    const { unit } = await settledWith(usage);
    assert.deepEqual([unit.tokens, unit.estimated], [ESTIMATE, true]);
  });
}

test('reported output above the cap is charged at the cap', async () => {
  const { unit } = await settledWith({ outputTokens: 51 });
  assert.deepEqual([unit.tokens.output, unit.estimated], [50, false]);
});

test('counted output above the cap is charged at the cap', async () => {
  const { unit } = await settledWith(null, testRequest({}, { outputCap: 1 }));
  assert.equal(unit.tokens.output, 1);
});

test('an estimate stays within the hold although the published estimate is above the bound', async () => {
  const generation = { body: { messages: [] }, promptBound: 100, promptEstimate: 5000 };
  const { unit } = await settledWith(null, testRequest({}, { generation }));
  assert.deepEqual([unit.tokens.uncached + unit.tokens.cached, unit.charge <= unit.running.hold], [100, true]);
});

test('the cost at the bid is capped at the ceiling of the listing', async () => {
  const [atCeiling, above] = [await settledWith({}, testRequest({ limit: 100e9 })), testRequest({ limit: 1e18 })];
  assert.equal((await settledWith({}, above)).unit.atBid, atCeiling.unit.atBid);
});

test('reasoning tokens are in the answer, and absent where the pod did not say', async () => {
  assert.equal((await settledWith({ reasoningTokens: 3 })).answer.reasoningTokens, 3);
  assert.equal((await settledWith(null)).answer.reasoningTokens, null);
});

test('the receipt is what was written', async () => {
  const { unit, answer } = await settledWith({ promptTokens: 90, cachedTokens: 30, outputTokens: 20 });
  const { charged, price, tokens, orderId } = answer.receipt;
  assert.deepEqual([charged, price, tokens, orderId], [unit.charge, unit.price, unit.tokens, unit.orderId]);
});

test('a settlement names the attempt and the hold that its row has', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.running();
  bench.pods.last.end({ kind: 'no-slot' });
  await bench.settle();
  await bench.admit(orderId, { attempt: 2, level: 5e8 });
  const { hold } = bench.row(orderId);
  bench.pods.last.say('Hi').finish();
  await outcome;
  const unit = bench.journal.settled.get(orderId);
  assert.deepEqual([unit?.attempt, unit?.running.hold], [2, hold]);
});

test('a small result is written with the settlement', async () => {
  const { bench, unit } = await settledWith({});
  assert.equal(decodeResult({ text: unit.resultText ?? '', charged: 1n }).answer.generation.text, 'one two');
  assert.equal(bench.results.blobs.size, 0);
});

test('a result is kept for the days of its order, from its end', async () => {
  const { unit } = await settledWith({}, testRequest({ retentionDays: 2 }));
  assert.equal(unit.resultExpiresAtMs, unit.finishedAtMs + 2 * 86_400_000);
});

test('the settlement of an order that stores nothing keeps nothing', async () => {
  const { unit } = await settledWith({}, testRequest({ store: false }));
  assert.deepEqual([unit.resultText, unit.resultBytes, unit.resultExpiresAtMs], [null, null, null]);
});

test('a large result that was promised is in the store before its settlement, which has its size', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(testRequest({ detached: true }));
  bench.journal.pause();
  bench.pods.last.say(LARGE_TEXT).finish();
  await bench.settle();
  const { length } = bench.results.blobs.get(orderId) ?? '';
  assert.equal(bench.row(orderId).status, 'executing');
  bench.journal.resume();
  await bench.settle();
  const unit = bench.journal.settled.get(orderId);
  assert.deepEqual([unit?.resultText, unit?.resultBytes], [null, length]);
});
