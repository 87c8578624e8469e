/** The bound of a charge: what is refused, held, cut and charged, whatever pods do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wholeAccount } from '#base/reach.ts';
import { wireReceipt } from '#ledger/receipt.ts';
import { chargeOf, tariffOf } from '#ledger/tariff.ts';
import type { FinishReason, ReportedUsage } from '#results/generation.ts';
import { decodeResult } from '#results/result.ts';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { chargeBoundOf } from './max-charge.ts';

/** What 100 input and `output` output tokens cost at `dollars` by the ratio of the listing, rounded up. */
const worstCase = (output: number, dollars = 1) => (BigInt(100 + 4 * output) * BigInt(dollars) * 100_000n + 26n) / 27n;

/** A request at 5 dollars that may be charged `maxCharge`. */
const bounded = (maxCharge: bigint, outputCap: number | null = 50) =>
  testRequest({ maxChargeNano: Number(maxCharge) }, { outputCap });

/** Ends the running attempt, and returns the answer and the settlement. */
async function ended(
  bench: OrderServiceBench,
  { orderId, outcome }: Awaited<ReturnType<OrderServiceBench['running']>>,
  usage: Partial<ReportedUsage> | null,
  reason: FinishReason = 'stop',
) {
  bench.pods.last.say('one', ' two').finish(usage, { reason });
  const end = await outcome;
  assert.ok(end.status === 'done');
  const unit = bench.journal.settled.get(orderId);
  assert.ok(unit);
  bench.audit();
  return { answer: end.answer, unit };
}

test('a bound below the input and one output token at the bid is refused: nothing is written or held', async () => {
  const bench = new OrderServiceBench();
  const { submission } = await bench.submit(bounded(worstCase(1, 5) - 1n));
  await assert.rejects(submission, {
    code: 'max_charge_too_low',
    status: 400,
    param: 'max_charge_usd',
    message: /may cost 0\.001925926 USD at the bid/,
  });
  assert.deepEqual([bench.journal.units, bench.commands, bench.funds.held], [[], [], 0n]);
});

test('a bound that just covers them is taken, and runs with one token at the bid', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(bounded(worstCase(1, 5)));
  await bench.admit(id, { level: 90e9 });
  await submission;
  assert.deepEqual([bench.pods.last.request.outputCap, bench.row(id).hold], [1, worstCase(1, 5)]);
});

test('a bound of 0 is enough for what costs nothing', async () => {
  const bench = new OrderServiceBench({ level: 0 });
  const { orderId } = await bench.waiting(testRequest({ maxChargeNano: 0, limit: 0 }));
  await bench.admit(orderId, { level: 0 });
  assert.deepEqual([bench.pods.last.request.outputCap, bench.row(orderId).hold], [50, 0n]);
});

test('the bound is checked before the balance', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(0n);
  await assert.rejects((await bench.submit(bounded(1n))).submission, { code: 'max_charge_too_low' });
});

test('the output is cut at what the bound pays at the price of the attempt, and the balance has to cover no more', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(20));
  const order = await bench.running(testRequest({ maxChargeNano: Number(worstCase(20)), limit: 1e9 }));
  assert.deepEqual([bench.pods.last.request.outputCap, bench.funds.held], [20, worstCase(20)]);
  assert.equal(bench.row(order.orderId).outputCap, 50);
  const { answer, unit } = await ended(bench, order, { promptTokens: 100, outputTokens: 20 }, 'length');
  assert.deepEqual(answer.receipt.bound, { maxCharge: worstCase(20), reached: true });
  assert.ok(unit.charged <= worstCase(20) && unit.charged === unit.charge);
});

test('a default cap is not lowered for a balance that covers the bound', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(worstCase(1500));
  const { orderId } = await bench.waiting(bounded(worstCase(1500), null));
  assert.equal(bench.row(orderId).outputCap, 4096);
});

test('a bound that is not reached changes nothing', async () => {
  const usage = { promptTokens: 90, cachedTokens: 40, outputTokens: 50 };
  const settled = async (maxCharge: bigint | null) => {
    const request = testRequest({ maxChargeNano: maxCharge === null ? null : Number(maxCharge), limit: 1e9 });
    const bench = new OrderServiceBench();
    return ended(bench, await bench.running(request), usage);
  };
  const [free, bound] = [await settled(null), await settled(worstCase(50))];
  assert.deepEqual([bound.unit.charged, bound.unit.charge], [free.unit.charged, free.unit.charge]);
  assert.deepEqual([bound.unit.tokens, bound.unit.atBid <= worstCase(50)], [free.unit.tokens, true]);
  assert.equal(bound.answer.receipt.bound?.reached, false);
  assert.equal(wireReceipt(free.answer.receipt).max_charge_usd, undefined);
});

test('input beyond its bound is written off above the most, in the receipt and in the stored result', async () => {
  const bench = new OrderServiceBench();
  const order = await bench.running(bounded(worstCase(2, 5)));
  const { answer, unit } = await ended(bench, order, { promptTokens: 8000, outputTokens: 2 });
  assert.equal(unit.charged, worstCase(2, 5));
  assert.equal(unit.charge, chargeOf(answer.receipt.tariff, 1e9, unit.tokens));
  assert.deepEqual([answer.receipt.charged, answer.receipt.bound?.reached], [worstCase(2, 5), true]);
  const result = await bench.results.get(order.orderId);
  assert.ok(result);
  const stored = decodeResult(result).answer.receipt;
  assert.deepEqual([stored.charged, stored.bound], [worstCase(2, 5), answer.receipt.bound]);
});

test('a pod that ignores the cap is charged at it', async () => {
  const bench = new OrderServiceBench();
  const order = await bench.running(testRequest({ maxChargeNano: Number(worstCase(3)), limit: 1e9 }));
  const { answer, unit } = await ended(bench, order, { promptTokens: 100, outputTokens: 4000 }, 'length');
  assert.deepEqual([unit.tokens.output, answer.receipt.bound?.reached], [3, true]);
  assert.ok(unit.charged <= worstCase(3));
});

test('an answer that ends by itself with the last token that the bound pays was not cut short', async () => {
  const bench = new OrderServiceBench();
  const order = await bench.running(testRequest({ maxChargeNano: Number(worstCase(20)), limit: 1e9 }));
  const { answer } = await ended(bench, order, { promptTokens: 100, outputTokens: 20 });
  assert.deepEqual(answer.receipt.bound, { maxCharge: worstCase(20), reached: false });
});

test('an attempt at a lower price has more output, after a failure and after a restart', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit(
    testRequest({ maxChargeNano: Number(worstCase(3, 5)), detached: true }),
  );
  await bench.admit(id, { level: 5e9 });
  await submission;
  assert.deepEqual([bench.pods.last.request.outputCap, bench.funds.held], [3, worstCase(3, 5)]);
  bench.pods.last.end({ kind: 'failed', reason: 'planted' });
  await bench.settle();
  await bench.admit(id, { attempt: 2, pod: 'pod-2', level: 4e9 });
  assert.equal(bench.pods.last.request.outputCap, 10);
  assert.ok(bench.funds.held <= worstCase(3, 5));

  const later = new OrderServiceBench();
  const row = { ...bench.row(id), status: 'queued' as const, hold: 0n, price: null, admittedAtMs: null };
  later.journal.orders.set(id, row);
  later.journal.bodies.set(id, { messages: [] });
  later.orderService.recover([row]);
  await later.settle();
  await later.admit(id, { attempt: 3, level: 3e9 });
  assert.equal(later.pods.last.request.outputCap, 21);
  assert.ok(later.funds.held <= worstCase(3, 5));
});

test('a price at which the bound does not cover the start is refused, and the order stays where it is', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(bounded(worstCase(1, 6)));
  const reprice = (limit: number) => bench.orderService.reprice(wholeAccount('acct'), [orderId], limit);
  assert.deepEqual(await reprice(7e9), [{ orderId, refusal: 'max_charge_too_low' }]);
  assert.deepEqual(bench.sent('reprice'), []);
  const moved = reprice(6e9);
  await bench.settle();
  await bench.emit({ type: 'repriced', model: 'tide', seq: 100, order: orderId, bid: 6e9, restedSeq: 50 });
  assert.deepEqual(await moved, [{ orderId, refusal: null }]);
});

test('on fixed prices the bound is of their cost', async () => {
  const tariff = tariffOf('fixed', { cached: '1', uncached: '10', output: '20' });
  const bench = new OrderServiceBench({ listings: [benchListing({ type: 'fixed', tariff })] });
  // A thousandth of a dollar for the input, and 20 millionths for each output token.
  await assert.rejects((await bench.submit(bounded(1_019_999n))).submission, { code: 'max_charge_too_low' });
  const { id } = await bench.submit(bounded(1_100_000n));
  await bench.admit(id, { level: 1e18 });
  assert.deepEqual([bench.pods.last.request.outputCap, bench.row(id).hold], [5, 1_100_000n]);
});

const reasons: readonly FinishReason[] = ['stop', 'length'];
test('an estimate says that the bound was reached where the pod stopped for its length', () => {
  const run = { cap: 10, due: 1n, outputTokens: 8, estimated: true };
  const reached = reasons.map(
    (finishReason) =>
      chargeBoundOf({ promptBound: 1, outputCap: 20, maxCharge: 5n }, { ...run, finishReason })?.reached,
  );
  assert.deepEqual(reached, [false, true]);
  const own = { promptBound: 1, outputCap: 10, maxCharge: 5n };
  assert.equal(chargeBoundOf(own, { ...run, outputTokens: 10, finishReason: 'length' })?.reached, false);
});

const decimal = fc.nat({ max: 50_000 }).map((thousandths) => (thousandths / 1000).toFixed(3));
const settlements = fc.record({
  ratio: fc.record({ cached: decimal, uncached: decimal, output: decimal }),
  fixed: fc.boolean(),
  limit: fc.integer({ min: 0, max: 20_000_000_000 }),
  level: fc.integer({ min: 0, max: 20_000_000_000 }),
  maxCharge: fc.bigInt({ min: 0n, max: 200_000_000n }),
  outputCap: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: null }),
  promptTokens: fc.nat({ max: 8192 }),
  cachedTokens: fc.nat({ max: 8192 }),
  outputTokens: fc.nat({ max: 9000 }),
  reports: fc.boolean(),
});

test('no order is held or charged above its bound, and one that does not reach it is charged as without it', async () => {
  await fc.assert(
    fc.asyncProperty(settlements, async (each) => {
      const { ratio, fixed, level, limit, maxCharge, outputCap, reports } = each;
      const parts = ratio.uncached === '0.000' ? { ...ratio, uncached: '1' } : ratio;
      const tariff = tariffOf(fixed ? 'fixed' : 'market', parts);
      const usage = {
        promptTokens: each.promptTokens,
        cachedTokens: Math.min(each.cachedTokens, each.promptTokens),
        outputTokens: each.outputTokens,
      };
      const run = async (bound: bigint | null) => {
        const listing = benchListing({ tariff, type: fixed ? 'fixed' : 'market' });
        const bench = new OrderServiceBench({ listings: [listing], level });
        bench.setBalance(10n ** 15n);
        const { id, submission } = await bench.submit(
          testRequest({ maxChargeNano: bound === null ? null : Number(bound), limit }, { outputCap }),
        );
        if (id === '') {
          await assert.rejects(submission, { code: 'max_charge_too_low' });
          return null;
        }
        await bench.admit(id, { level: fixed ? 1e18 : level });
        const taken = await submission;
        assert.ok(taken.type === 'order');
        const outcome = new Promise((resolve) => taken.ticket.watch({ events: () => {}, ended: resolve }));
        const { hold } = bench.row(id);
        bench.pods.last.say('one').finish(reports ? usage : null);
        await outcome;
        const unit = bench.journal.settled.get(id);
        assert.ok(unit);
        bench.audit();
        return { hold, charged: unit.charged, cap: bench.pods.last.request.outputCap };
      };
      const bounded = await run(maxCharge);
      if (!bounded) return;
      assert.ok(bounded.hold <= maxCharge && bounded.charged <= maxCharge);
      const free = await run(null);
      assert.ok(free && bounded.charged <= free.charged);
      const isCut = bounded.cap < free.cap && (!reports || usage.outputTokens > bounded.cap);
      if (!isCut && free.charged <= maxCharge) assert.equal(bounded.charged, free.charged);
    }),
    { numRuns: 60, seed: 57 },
  );
});
