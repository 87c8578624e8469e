/** From a request to an order: the order of refusals, what the balance covers, and the row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

/** A hold of 100 prompt tokens and `output` of output at 1 dollar, in nano-dollars: see the ratio of the listing. */
const worstCase = (output: number) => (BigInt(100 + 4 * output) * 1_000_000_000n * 100n) / 27n / 1_000_000n + 1n;

/** A request that fails every check after its model: no price, no money, and no room in the queue. */
const hopeless = (model: string | null) => testRequest({ limit: null }, { model });

async function emptyBench(...options: ConstructorParameters<typeof OrderServiceBench>) {
  const bench = new OrderServiceBench(...options);
  bench.setBalance(0n);
  return bench;
}

for (const [model, code] of [
  ['nobody', 'model_not_found'],
  ['old', 'model_deprecated'],
  ['soon', 'model_preview'],
  ['tide', 'missing_price_limit'],
] as const) {
  test(`a request for the model ${model} is refused with ${code} before its balance is looked at`, async () => {
    const listings = [
      benchListing(),
      benchListing({ id: 'old', deprecated: true }),
      benchListing({ id: 'soon', preview: true }),
    ];
    const bench = await emptyBench({ listings });
    await assert.rejects((await bench.submit(hopeless(model))).submission, { code });
    assert.equal(bench.commands.length, 0);
  });
}

test('a queue that is full is refused before a balance that is short', async () => {
  const bench = await emptyBench({ limits: { queuedOrdersPerAccount: 0 } });
  await assert.rejects((await bench.submit()).submission, { code: 'queue_full' });
});

test('the balance is checked at the level when the bid is above it', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(50));
  await bench.running(testRequest({ limit: 90e9 }));
});

test('the balance is checked at the bid when the level is above it', async () => {
  const bench = new OrderServiceBench({ level: 9e9 });
  bench.setBalance(worstCase(50));
  await bench.waiting(testRequest({ limit: 1e9 }));
});

test('money that is held for other orders counts at submission', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(50));
  await bench.running();
  await bench.waiting();
});

test('a bid of 0 is taken on an empty balance', async () => {
  const bench = await emptyBench();
  await bench.waiting(testRequest({ limit: 0 }));
});

test('a cap from the caller is not lowered for lack of money: the request is refused', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(3999));
  const { submission } = await bench.submit(testRequest({}, { outputCap: 4000 }));
  await assert.rejects(submission, { code: 'insufficient_balance', status: 402 });
});

test('a default cap is lowered to what the balance pays for, in the row and for the pod', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(2000));
  const { orderId } = await bench.running(testRequest({}, { outputCap: null }));
  assert.deepEqual([bench.row(orderId).outputCap, bench.pods.last.request.outputCap], [2000, 2000]);
  bench.audit();
});

test('a balance that does not cover the smallest default cap is refused', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(1024) - 1n);
  const { submission } = await bench.submit(testRequest({}, { outputCap: null }));
  await assert.rejects(submission, { code: 'insufficient_balance' });
});

test('a default cap is not lowered for a balance that has grown since it was last read', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(2000));
  const uncapped = testRequest({}, { outputCap: null });
  assert.equal(bench.row((await bench.waiting(uncapped)).orderId).outputCap, 2000);
  bench.credit(worstCase(4096));
  assert.equal(bench.row((await bench.waiting(uncapped)).orderId).outputCap, 4096);
});

test('a default cap of the house account is not lowered on an empty balance', async () => {
  const bench = await emptyBench();
  const customer = { ...bench.customer, house: true };
  const { orderId } = await bench.waiting(testRequest({}, { outputCap: null }), { customer });
  assert.equal(bench.row(orderId).outputCap, 4096);
});

test('an account that is unknown has no money', async () => {
  const bench = new OrderServiceBench();
  const { submission } = await bench.submit(testRequest(), { customer: { ...bench.customer, accountId: 'nobody' } });
  await assert.rejects(submission, { code: 'insufficient_balance' });
});

test('an order keeps the tariff that it was submitted with, and the boot that took it', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting();
  const { tariffId, bootEpoch, keyId } = bench.row(orderId);
  assert.deepEqual([tariffId, bootEpoch, keyId], [benchListing().tariff.id, 1, 'key']);
});

for (const [change, keyed, outlives] of [
  [{}, false, false],
  [{}, true, true],
  [{ store: false }, true, false],
  [{ retentionDays: 0 }, true, false],
  [{ detached: true }, false, true],
  [{ detached: true, store: false }, false, true],
] as const) {
  const wishes = `${JSON.stringify(change)}${keyed ? ' with a key' : ''}`;
  test(`an order with ${wishes} ${outlives ? 'outlives' : 'ends with'} its caller`, async () => {
    const bench = new OrderServiceBench();
    const idempotency = keyed ? { key: 'k', fingerprint: 'f' } : null;
    const { orderId } = await bench.waiting(testRequest(change, { idempotency }));
    assert.equal(bench.row(orderId).outlives, outlives);
  });
}

test('a line waits until the deadline of its batch, whatever wait it asks for', async () => {
  const bench = new OrderServiceBench();
  const line = testLine();
  const { orderId } = await bench.waiting(testRequest({ maxWaitS: 10 }), { line });
  const { expiresAtMs, batchId, outlives } = bench.row(orderId);
  assert.deepEqual([expiresAtMs, batchId, outlives], [line.expiresAtMs, 'batch', true]);
});

test('a line whose model has other prices than its batch recorded is refused, even if it cannot be paid', async () => {
  const bench = await emptyBench();
  const { id } = tariffOf('market', { cached: '0.2', uncached: '1', output: '4' });
  const { submission } = await bench.submit(testRequest(), { line: testLine({ tariffIds: { tide: id } }) });
  await assert.rejects(submission, { code: 'prices_changed' });
});

test('a line of a model that its batch did not record is refused', async () => {
  const bench = new OrderServiceBench();
  const { submission } = await bench.submit(testRequest(), { line: testLine({ tariffIds: {} }) });
  await assert.rejects(submission, { code: 'prices_changed' });
});
