/** Dry runs: what they refuse, what they foretell, and that they leave nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import type { InferenceRequest } from './request.ts';

/** What 100 input and `output` output tokens cost at `dollars` by the ratio of the listing, rounded up. */
const worstCase = (output: number, dollars = 1, input = 100) =>
  (BigInt(input + 4 * output) * BigInt(dollars) * 100_000n + 26n) / 27n;

const dry = (bench: OrderServiceBench, request = testRequest(), customer = bench.customer) =>
  bench.orderService.dryRuns.of(customer, request);

const keyed = (fingerprint: string, more: Partial<InferenceRequest> = {}) =>
  testRequest({ store: true }, { idempotency: { key: 'k', fingerprint }, ...more });

test('a dry run returns hold, charges and wait, and leaves nothing behind', async () => {
  const bench = new OrderServiceBench();
  const { row, ...told } = await dry(bench, testRequest({ maxWaitS: 90 }));
  assert.deepEqual(told, {
    ...{ level: 1e9, outputCap: 50, waitS: 90, repeats: null },
    hold: worstCase(50),
    inputCharge: 185_185n,
    expectedCharge: 925_926n,
    greatestCharge: worstCase(50, 5),
  });
  assert.deepEqual([row.model, row.bid, row.promptEstimate, row.promptBound], ['tide', 5e9, 50, 100]);
  const { queued, inflight } = bench.orderService.counts();
  assert.deepEqual([bench.journal.units, bench.commands, bench.ends, queued, inflight], [[], [], [], 0, 0]);
  assert.deepEqual([bench.orderService.waitingBytes.waiting, bench.funds.held], [0, 0n]);
});

test('a bound of the charge is the greatest charge, and lowers hold and output', async () => {
  const told = await dry(
    new OrderServiceBench(),
    testRequest({ maxChargeNano: Number(worstCase(10, 5)) }, { outputCap: 1000 }),
  );
  assert.deepEqual([told.greatestCharge, told.outputCap], [worstCase(10, 5), 150]);
  assert.ok(told.hold <= worstCase(10, 5) && told.expectedCharge <= worstCase(10, 5));
});

test('fixed prices have no level', async () => {
  const tariff = tariffOf('fixed', { cached: '1', uncached: '10', output: '20' });
  const bench = new OrderServiceBench({ listings: [benchListing({ type: 'fixed', tariff })] });
  const told = await dry(bench);
  assert.deepEqual([told.level, told.hold, told.greatestCharge], [null, 2_000_000n, 2_000_000n]);
});

/** [what is wrong, request, how the bench is made poor] */
const refusals: [string, InferenceRequest, (bench: OrderServiceBench) => void][] = [
  ['model_not_found', testRequest({}, { model: 'nobody' }), () => {}],
  ['missing_price_limit', testRequest({ limit: null }), () => {}],
  ['max_charge_too_low', testRequest({ maxChargeNano: 1 }), () => {}],
  ['insufficient_balance', testRequest(), (bench) => bench.setBalance(0n)],
  ['unavailable', testRequest({ detached: true }), (bench) => Object.assign(bench.disk, { low: true })],
];
for (const [code, request, spoil] of refusals) {
  test(`a request that is refused with ${code} is refused so in a dry run`, async () => {
    const bench = new OrderServiceBench();
    spoil(bench);
    await assert.rejects(dry(bench, request), { code });
    await assert.rejects((await bench.submit(request)).submission, { code });
    assert.deepEqual(bench.journal.units, []);
  });
}

test('a budget that does not cover it refuses a dry run without an event', async () => {
  const bench = new OrderServiceBench();
  const budget = { amount: 1n, reset: 'never', fromMs: 0, spent: 0n, held: 0n } as const;
  await assert.rejects(dry(bench, testRequest(), { ...bench.customer, budget }), { code: 'key_budget_exceeded' });
});

test('a balance that somebody else spent is seen', async () => {
  const bench = new OrderServiceBench();
  await bench.waiting();
  bench.journal.accounts.set('acct', { balance: 0n, held: 0n });
  await assert.rejects(dry(bench), { code: 'insufficient_balance' });
});

test('a full queue refuses a dry run', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  await bench.waiting();
  await assert.rejects(dry(bench), { code: 'queue_full' });
});

test('what waits holds too many bytes for a dry run', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesPerAccount: 5 } });
  await assert.rejects(dry(bench), { code: 'queued_bytes_exceeded' });
});

test('a dry run frees a large input at once, also when it is refused', async () => {
  for (const queuedBytesPerAccount of [5, 1e9]) {
    const bench = new OrderServiceBench({ bounds: { queuedBytesPerAccount } });
    const json = Buffer.from(new ArrayBuffer(300_000));
    const generation = { json, promptBound: 100, promptEstimate: 50 };
    await dry(bench, testRequest({}, { generation })).catch(() => {});
    assert.deepEqual([json.length, bench.orderService.waitingBytes], [0, { waiting: 0, inMemory: 0 }]);
  }
});

test('a gateway that is closing takes no dry runs', async () => {
  const bench = new OrderServiceBench();
  await bench.orderService.drain(0);
  await assert.rejects(dry(bench), { code: 'unavailable' });
});

test('a dry run uses up no key, and says what a repeat would get', async () => {
  const bench = new OrderServiceBench();
  await dry(bench, keyed('one'));
  const order = await bench.running(keyed('one'));
  await assert.rejects(dry(bench, keyed('two')), { code: 'idempotency_error' });
  await assert.rejects(dry(bench, keyed('one')), { code: 'result_pending' });
  bench.pods.last.say('one').finish();
  await order.outcome;
  bench.setBalance(0n);
  const { repeats, hold, expectedCharge, greatestCharge } = await dry(bench, keyed('one'));
  assert.deepEqual([repeats, hold, expectedCharge, greatestCharge], [order.orderId, 0n, 0n, 0n]);
});

test('random requests are refused by a dry run exactly when they are refused, and held as foretold', async () => {
  for (let balance = 0n; balance < 3n * worstCase(50); balance += worstCase(50) / 3n) {
    for (const maxChargeNano of [null, 0, Number(worstCase(1, 2)), Number(worstCase(7, 2))]) {
      for (const outputCap of [null, 1, 50, 5000]) {
        const bench = new OrderServiceBench();
        bench.setBalance(balance);
        const request = testRequest({ limit: 2e9, maxChargeNano }, { outputCap });
        const told = await dry(bench, request).catch((error) => error);
        const { id, submission } = await bench.submit(request);
        if (told instanceof Fault) {
          await assert.rejects(submission, { code: told.code });
          continue;
        }
        await bench.admit(id);
        await submission;
        assert.deepEqual([bench.funds.held, bench.pods.last.request.outputCap], [told.hold, told.outputCap]);
      }
    }
  }
});
