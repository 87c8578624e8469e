import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { tariffOf } from '#ledger/tariff.ts';
import { benchListing, LARGE_TEXT, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import type { OrderEnd } from './order-port.ts';

/** 100 prompt and 50 output tokens at 1 dollar, ratio 0.1 : 1 : 4, mix 0.27: 300 weighted tokens ÷ 0.27 ÷ 10^6. */
const HOLD = 1_111_112n;

const _keyed = (key = 'k') => testRequest({}, { idempotency: { key, fingerprint: 'f' } });

function refusal(code: FaultCode) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

function faultOf(end: OrderEnd): Fault {
  assert.notEqual(end.status, 'done');
  return end.status === 'done' ? new Fault('internal_error') : end.fault;
}

test('an order that can start at once is written once, runs, and is settled before its caller is notified', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  assert.deepEqual(
    bench.journal.units.map((unit) => unit.kind),
    ['accept'],
  );
  assert.equal(bench.funds.held, HOLD);
  bench.journal.pause();
  bench.pods.last.say('Hi').finish({ promptTokens: 10, cachedTokens: 4, outputTokens: 5 });
  await bench.settle();
  let notified = false;
  void ticket.outcome.then(() => {
    notified = true;
  });
  await bench.settle();
  assert.equal(notified, false);
  bench.journal.resume();
  const end = await ticket.outcome;
  assert.equal(end.status, 'done');
  if (end.status !== 'done') return;
  assert.deepEqual(end.answer.receipt.tokens, { uncached: 6, cached: 4, output: 5 });
  assert.equal(end.answer.receipt.charged, 97_778n);
  assert.equal(end.answer.generation.text, 'Hi');
  assert.equal(bench.sent('release')[0]?.reason, 'finished');
  assert.equal(bench.row(ticket.orderId).status, 'done');
  assert.equal(bench.journal.settled.get(ticket.orderId)?.atBid, 488_889n, 'five times the level');
  bench.audit();
});

test('no caller gets an answer before the row of its order has committed', async () => {
  const bench = new OrderServiceBench();
  bench.journal.pause();
  const { id, submission } = await bench.submit();
  await bench.rest(id);
  let notified = false;
  void submission.then(() => {
    notified = true;
  });
  await bench.settle();
  assert.equal(notified, false);
  assert.equal(bench.pods.attempts.length, 0);
  bench.journal.resume();
  await submission;
});

test('the charge is at the lower of level and bid', async () => {
  for (const [level, expected] of [
    [9e9, 5e9],
    [2e9, 2e9],
  ] as const) {
    const bench = new OrderServiceBench({ level });
    const { id, submission } = await bench.submit();
    await bench.admit(id, { level });
    await submission;
    assert.equal(bench.row(id).price, expected);
  }
});

// Spec 3-11, 7-27, 8-23
test('a waiting order expires with 408, a lock and a fixed-price order with 429, and none is charged', async () => {
  const bench = new OrderServiceBench();
  const waiting = await bench.waiting(testRequest({ maxWaitS: 20 }));
  await bench.clock.advance(19_999);
  assert.equal(bench.row(waiting.orderId).status, 'queued');
  await bench.clock.advance(1);
  assert.deepEqual(
    [faultOf(await waiting.outcome).code, bench.row(waiting.orderId).status],
    ['order_expired', 'expired'],
  );
  const lock = await bench.waiting(testRequest({ priceLock: true }));
  await bench.clock.advance(10_000);
  assert.equal(faultOf(await lock.outcome).code, 'capacity_unavailable');
  assert.equal(bench.sent('withdraw').length, 2);
  const fixed = tariffOf('fixed', { cached: '0.1', uncached: '1', output: '5' });
  const other = new OrderServiceBench({ listings: [benchListing({ type: 'fixed', tariff: fixed })] });
  const turn = await other.waiting(testRequest({ limit: null, maxWaitS: 10 }));
  await other.clock.advance(10_000);
  assert.equal(faultOf(await turn.outcome).code, 'capacity_unavailable');
  bench.audit();
});

test('a queued order can be canceled once; running, ended, foreign and unknown ones cannot', async () => {
  const bench = new OrderServiceBench();
  const queued = await bench.waiting();
  await bench.orderService.cancel(wholeAccount('acct'), queued.orderId);
  const end = await queued.outcome;
  assert.deepEqual(
    [end.status, faultOf(end).code, faultOf(end).orderId],
    ['canceled', 'order_canceled', queued.orderId],
  );
  await assert.rejects(
    bench.orderService.cancel(wholeAccount('acct'), queued.orderId),
    refusal('order_not_cancelable'),
  );
  const running = await bench.running();
  await assert.rejects(
    bench.orderService.cancel(wholeAccount('acct'), running.orderId),
    refusal('order_not_cancelable'),
  );
  await assert.rejects(bench.orderService.cancel(wholeAccount('other'), running.orderId), refusal('not_found'));
  await assert.rejects(bench.orderService.cancel(wholeAccount('acct'), 'no-such-order'), refusal('not_found'));
});

test('an order can be canceled as soon as its row can be read, before the commit is reported', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit();
  bench.journal.pause();
  await bench.rest(id);
  const canceled = bench.orderService.cancel(wholeAccount('acct'), id);
  bench.journal.resume();
  await canceled;
  const taken = await submission;
  assert.equal(taken.type, 'order');
  assert.equal(bench.row(id).status, 'canceled');
  bench.audit();
});

test('an order chosen while its end is being written gives the slot back', async () => {
  const bench = new OrderServiceBench();
  const queued = await bench.waiting();
  bench.journal.pause();
  const canceled = bench.orderService.cancel(wholeAccount('acct'), queued.orderId);
  await bench.admit(queued.orderId);
  assert.equal(bench.sent('release')[0]?.reason, 'refused');
  bench.journal.resume();
  await canceled;
  assert.equal(bench.row(queued.orderId).status, 'canceled');
});

test('a caller that leaves while queued costs nothing', async () => {
  const bench = new OrderServiceBench();
  const queued = await bench.waiting();
  queued.leave();
  await bench.settle();
  assert.deepEqual([bench.row(queued.orderId).status, bench.row(queued.orderId).error], ['canceled', 'client_closed']);
  assert.equal(bench.sent('withdraw').length, 1);
  bench.audit();
});

test('a caller that leaves while it runs stops the pod and pays for what was generated', async () => {
  const bench = new OrderServiceBench();
  const running = await bench.running();
  bench.pods.last.say('one', ' two', ' three');
  running.leave();
  await bench.settle();
  assert.equal(bench.pods.last.aborted, true);
  assert.equal(bench.row(running.orderId).status, 'done');
  const unit = bench.journal.settled.get(running.orderId);
  assert.deepEqual([unit?.tokens, unit?.estimated], [{ uncached: 50, cached: 0, output: 4 }, true]);
  bench.audit();
});

test('the counted chunks of a pod are charged where it sends no usage', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running();
  bench.pods.last.say('several', ' longer', ' words').finish(null, { outputChunks: 3 });
  await bench.settle();
  const unit = bench.journal.settled.get(orderId);
  assert.deepEqual([unit?.tokens.output, unit?.estimated], [3, true]);
});

test('a caller that leaves while the admission commits is not sent to a pod and not charged', async () => {
  const bench = new OrderServiceBench();
  const queued = await bench.waiting();
  bench.journal.pause();
  await bench.admit(queued.orderId);
  queued.leave();
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.pods.attempts.length, 0);
  assert.deepEqual([bench.row(queued.orderId).status, bench.row(queued.orderId).error], ['error', 'client_closed']);
  assert.equal(bench.sent('release')[0]?.reason, 'finished');
  bench.audit();
});

test('a pod that fails before output sends the order back, three times at most, at no higher price', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  for (let failure = 1; failure <= 3; failure++) {
    await bench.clock.advance(1000);
    bench.pods.last.end({ kind: 'failed', reason: 'reset' });
    await bench.settle();
    assert.equal(bench.row(ticket.orderId).status, 'queued');
    const again = bench.sent('rest').at(-1);
    assert.deepEqual([again?.attempt, again?.avoidPod, again?.restedSeq], [failure + 1, 'pod-1', failure]);
    await bench.admit(ticket.orderId, { attempt: failure + 1, level: 3e9 });
    assert.equal(bench.row(ticket.orderId).price, 1e9);
  }
  assert.equal(bench.row(ticket.orderId).expiresAtMs - ticket.createdAtMs, 603_000);
  bench.pods.last.end({ kind: 'failed', reason: 'reset' });
  assert.equal(faultOf(await ticket.outcome).code, 'backend_error');
  bench.audit();
});

test('a pod without room costs the order nothing, however often', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  for (let attempt = 2; attempt < 12; attempt++) {
    bench.pods.last.end({ kind: 'no-slot' });
    await bench.settle();
    await bench.admit(ticket.orderId, { attempt });
  }
  bench.pods.last.finish();
  assert.equal((await ticket.outcome).status, 'done');
});

test('a failure after output ends the order uncharged, since the caller has seen a part', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.pods.last.say('half').end({ kind: 'failed', reason: 'reset' });
  assert.equal(faultOf(await ticket.outcome).code, 'backend_error');
  assert.equal(bench.row(ticket.orderId).status, 'error');
  assert.equal(bench.funds.balance, 10_000_000_000n);
  bench.audit();
});

test("a request that the model refuses is the caller's fault and free", async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.pods.last.end({ kind: 'refused', message: 'too long' });
  const fault = faultOf(await ticket.outcome);
  assert.deepEqual([fault.status, fault.code], [400, 'model_refused']);
  assert.match(fault.message, /too long/);
  bench.audit();
});

test('the balance must cover the worst case at submission, and is read again before a refusal', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD - 1n);
  await assert.rejects((await bench.submit()).submission, refusal('insufficient_balance'));
  assert.equal(bench.commands.length, 0);
  bench.setBalance(HOLD);
  await bench.running();
  bench.audit();
});

test('a hold that does not fit although nothing else is held ends the order with 402', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD);
  const { id, submission } = await bench.submit();
  await bench.admit(id, { level: 2e9 });
  await assert.rejects(
    submission,
    (error) => refusal('insufficient_balance')(error) && (error as Fault).orderId === id,
  );
  assert.equal(bench.row(id).status, 'error');
  assert.equal(bench.sent('release')[0]?.reason, 'refused');
  const queued = await bench.waiting();
  await bench.admit(queued.orderId, { level: 2e9 });
  assert.equal(faultOf(await queued.outcome).code, 'insufficient_balance');
  bench.audit();
});

test("an order refused only for its account's own holds leaves the book and returns when one is released", async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD + HOLD / 2n);
  const first = await bench.running();
  const firstAttempt = bench.pods.last;
  const second = await bench.waiting();
  await bench.admit(second.orderId);
  assert.equal(bench.sent('release')[0]?.reason, 'refused');
  assert.equal(bench.row(second.orderId).status, 'queued');
  firstAttempt.finish({ promptTokens: 1, outputTokens: 1 });
  await first.outcome;
  assert.deepEqual([bench.sent('rest').at(-1)?.order, bench.sent('rest').length], [second.orderId, 3]);
  await bench.admit(second.orderId);
  bench.pods.last.finish({ promptTokens: 1, outputTokens: 1 });
  assert.equal((await second.outcome).status, 'done');
  bench.audit();
});

test('of 500 parallel orders on a balance that covers 7, at most 7 hold money at any moment', async () => {
  const bench = new OrderServiceBench();
  bench.setBalance(HOLD * 7n + 5n);
  const submissions = await bench.submitMany(500);
  for (const { id } of submissions)
    bench.orderService.onExchangeEvent({
      type: 'admit',
      model: 'tide',
      seq: 1,
      order: id,
      attempt: 1,
      restedSeq: 1,
      pod: 'p',
      level: 1e9,
      levelSeq: 1,
    });
  await bench.settle();
  assert.equal(bench.pods.attempts.length, 7);
  bench.audit();
});

test('the queue limit refuses the order that would wait, not one that starts at once', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 2 } });
  await bench.waiting();
  await bench.waiting();
  const third = await bench.submit();
  await bench.rest(third.id);
  await assert.rejects(third.submission, refusal('queue_full'));
  assert.equal(bench.journal.orders.has(third.id), false);
  assert.equal(bench.sent('withdraw').at(-1)?.order, third.id);
  await bench.running();
});

test('a settlement that does not commit is reported to the caller after ten seconds and still settles', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.journal.pause();
  bench.pods.last.finish();
  await bench.clock.advance(11_000);
  const fault = faultOf(await ticket.outcome);
  assert.deepEqual([fault.code, fault.orderId], ['settlement_uncertain', ticket.orderId]);
  assert.equal(bench.row(ticket.orderId).status, 'executing');
  bench.journal.resume();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'done');
  bench.audit();
});

test('a write that can never be applied leaves the process alive and says that the charge is uncertain', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running();
  bench.journal.failNext = 'settle';
  bench.pods.last.finish();
  assert.equal(faultOf(await ticket.outcome).code, 'settlement_uncertain');
  const next = await bench.running();
  bench.pods.last.finish();
  assert.equal((await next.outcome).status, 'done');
});

test('a refused first write is reported to the caller, and the place is given back', async () => {
  const bench = new OrderServiceBench();
  bench.journal.failNext = 'accept';
  const queued = await bench.submit();
  await bench.rest(queued.id);
  await assert.rejects(queued.submission, /planted/);
  assert.equal(bench.sent('withdraw').length, 1);
  bench.journal.failNext = 'accept';
  const started = await bench.submit();
  await bench.admit(started.id);
  await assert.rejects(started.submission, /planted/);
  assert.equal(bench.sent('release').length, 1);
});

test('a detached order outlives its caller and has its result stored before it is done', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(testRequest({ detached: true }));
  assert.deepEqual([ticket.detached, ticket.resultStored, ticket.retentionDays], [true, true, 30]);
  assert.ok(bench.journal.bodies.has(ticket.orderId));
  ticket.leave();
  bench.results.failing = true;
  bench.pods.last.say(LARGE_TEXT).finish();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'executing');
  bench.results.failing = false;
  await bench.clock.advance(250);
  assert.deepEqual([bench.row(ticket.orderId).status, bench.row(ticket.orderId).resultState], ['done', 'stored']);
  assert.ok(bench.results.blobs.has(ticket.orderId));
});

test('nothing durable is kept of an order that stores nothing', async () => {
  const bench = new OrderServiceBench();
  const ticket = await bench.running(testRequest({ detached: true, store: false }));
  assert.deepEqual([ticket.resultStored, ticket.retentionDays], [false, 0]);
  bench.pods.last.finish();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'done');
  assert.equal(bench.journal.bodies.size + bench.journal.results.size + bench.results.blobs.size, 0);
});

test('a requeue that can never be written releases the place and the count of its order', async () => {
  const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 1 } });
  const ticket = await bench.running();
  bench.journal.failNext = 'requeue';
  bench.pods.last.end({ kind: 'failed', reason: 'reset' });
  assert.equal(faultOf(await ticket.outcome).code, 'settlement_uncertain');
  await bench.settle();
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  assert.equal(bench.sent('withdraw').at(-1)?.order, ticket.orderId);
  await bench.waiting();
});

test('an order whose end the database refuses twice stays known here, so that it is not picked up and run again', async () => {
  for (const [ends, refused] of [
    [(bench: OrderServiceBench) => bench.pods.last.finish(), ['settle', 'fail']],
    [(bench: OrderServiceBench) => bench.pods.last.end({ kind: 'no-slot' }), ['requeue', 'fail']],
  ] as const) {
    const bench = new OrderServiceBench();
    const { orderId, outcome } = await bench.running(testRequest({ detached: true }));
    bench.refuse(...refused);
    ends(bench);
    assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
    await bench.settle();
    assert.deepEqual([bench.row(orderId).status, bench.orderService.has(orderId)], ['executing', true]);
    assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
  }
});

test('a level is recorded before any admission at it', async () => {
  const bench = new OrderServiceBench();
  const { id, submission } = await bench.submit();
  await bench.emit({ type: 'level', model: 'tide', seq: 1, level: 2e9, levelSeq: 2, degraded: false, atMs: 0 });
  await bench.admit(id, { level: 2e9 });
  await submission;
  assert.deepEqual(
    bench.journal.units.map((unit) => unit.kind),
    ['level', 'accept'],
  );
});

test('the translated request is kept where the account asks for it, unless nothing is to be kept', async () => {
  const bench = new OrderServiceBench();
  const logging = { ...bench.customer, logPayloads: true };
  const logOf = async (customer: typeof logging, request = testRequest()) => {
    void bench.orderService.submit(customer, request).catch(() => {});
    await bench.settle();
    const id = bench.sent('rest').at(-1)?.order ?? '';
    await bench.rest(id);
    const unit = bench.journal.units.at(-1);
    return unit?.kind === 'accept' ? unit.requestLog : undefined;
  };
  const expiresAtMs = bench.clock.nowMs() + 30 * 86_400_000;
  assert.deepEqual(await logOf(logging), { body: '{"messages":[]}', expiresAtMs });
  const signed = await logOf(logging, testRequest({}, { askedBy: { user: 'u', metadata: { a: 'b' } } }));
  assert.deepEqual(JSON.parse(signed?.body ?? ''), { messages: [], user: 'u', metadata: { a: 'b' } });
  const shorter = await logOf(logging, testRequest({ retentionDays: 2 }));
  assert.equal(shorter?.expiresAtMs, bench.clock.nowMs() + 2 * 86_400_000);
  assert.equal(await logOf(logging, testRequest({ store: false })), null);
  assert.equal(await logOf(logging, testRequest({ retentionDays: 0 })), null);
  assert.equal(await logOf({ ...logging, logPayloads: false }), null);
});
