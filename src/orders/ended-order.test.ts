import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import { OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

/** What most tests are about. */
const shown = ({ ends }: OrderServiceBench) => ends.map(({ status, error, attended }) => [status, error, attended]);

test('a settled order is reported once, with its times and its charge', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit();
  await bench.rest(id);
  const ticket = await submission;
  assert.equal(ticket.type, 'order');
  await bench.clock.advance(300);
  await bench.admit(id);
  await bench.clock.advance(50);
  bench.pods.last.say('Hi');
  await bench.clock.advance(150);
  bench.pods.last.finish({ promptTokens: 10, outputTokens: 5 });
  await bench.settle();
  const [end, ...more] = bench.ends;
  assert.ok(end?.charge);
  assert.equal(more.length, 0);
  const { allMs, queueMs, pipelineMs, firstTokenMs } = end;
  assert.deepEqual([end.model, end.kind, end.status, end.error], ['tide', 'chat', 'done', null]);
  assert.deepEqual(
    { allMs, queueMs, pipelineMs, firstTokenMs },
    { allMs: 500, queueMs: 300, pipelineMs: 200, firstTokenMs: 350 },
  );
  assert.deepEqual(end.charge.tokens, { uncached: 10, cached: 0, output: 5 });
  assert.equal(end.charge.charged, 10_000_000_000n - bench.funds.balance);
  assert.deepEqual([end.charge.writtenOff, end.charge.estimated, end.attended], [0n, false, true]);
});

test('of what was written off it reports what the bound of the charge left out, and not a balance', async () => {
  const told = async (maxChargeNano: number | null) => {
    const bench = new OrderServiceBench();
    bench.setBalance(5_000_000n);
    const order = await bench.running(testRequest({ maxChargeNano, limit: 1e9 }));
    bench.pods.last.say('Hi').finish({ promptTokens: 8000, outputTokens: 1 });
    await order.outcome;
    const charge = bench.ends[0]?.charge;
    assert.ok(charge);
    return [charge.charged, charge.writtenOff - charge.aboveBound, charge.aboveBound];
  };
  // 8,004 weighted tokens at a dollar cost 29.64 thousandths of a dollar.
  const due = 29_644_444n;
  assert.deepEqual(await told(null), [5_000_000n, due - 5_000_000n, 0n]);
  assert.deepEqual(await told(2_000_000), [2_000_000n, 0n, due - 2_000_000n]);
  assert.deepEqual(await told(8_000_000), [5_000_000n, 3_000_000n, due - 8_000_000n]);
});

test('tokens that the pod did not count are reported as estimated', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.pods.last.say('Hi');
  bench.pods.last.finish(null);
  await ticket.outcome;
  assert.equal(bench.ends[0]?.charge?.estimated, true);
});

test('an order that ends without an answer is reported with the reason in its row', async () => {
  const bench = new OrderServiceBench();
  const canceled = await bench.waiting(testRequest({ detached: true }));
  await bench.orderService.cancel(wholeAccount('acct'), canceled.orderId);
  const expired = await bench.waiting(testRequest({ maxWaitS: 20 }));
  await bench.clock.advance(20_000);
  await expired.outcome;
  const refused = await bench.running();
  bench.pods.last.end({ kind: 'refused', message: 'no' });
  await refused.outcome;
  const left = await bench.waiting();
  left.leave();
  await bench.settle();
  assert.deepEqual(shown(bench), [
    ['canceled', 'order_canceled', false],
    ['expired', 'order_expired', true],
    ['error', 'model_refused', true],
    ['canceled', 'client_closed', true],
  ]);
  assert.deepEqual(
    bench.ends.map(({ queueMs, pipelineMs }) => [queueMs, pipelineMs]),
    [
      [null, null],
      [null, null],
      [0, 0],
      [null, null],
    ],
  );
});

test('a hold that does not fit is an error, at the first write and at a later admission', async () => {
  const bench = new OrderServiceBench();
  // As much as an order may cost at a level of 1 USD.
  bench.setBalance(1_111_112n);
  const { id, submission } = await bench.submit();
  await bench.admit(id, { level: 2e9 });
  await assert.rejects(submission);
  const queued = await bench.waiting();
  await bench.admit(queued.orderId, { level: 2e9 });
  await queued.outcome;
  const unpaid = ['error', 'insufficient_balance', true];
  assert.deepEqual(shown(bench), [unpaid, unpaid]);
});

test('a request that is refused before there is an order ends nothing', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(1n);
  await assert.rejects((await bench.submit()).submission);
  assert.deepEqual(bench.ends, []);
});

test('nothing is reported of the orders of the house', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(testRequest(), { customer: { ...bench.customer, house: true } });
  bench.pods.last.finish({ promptTokens: 1, outputTokens: 1 });
  await ticket.outcome;
  assert.deepEqual(bench.ends, []);
});

test('nobody waits for a line of a batch', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(testRequest(), { line: testLine() });
  bench.pods.last.finish({ promptTokens: 1, outputTokens: 1 });
  await ticket.outcome;
  assert.deepEqual(shown(bench), [['done', null, false]]);
});
