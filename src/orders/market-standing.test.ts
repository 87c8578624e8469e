/** What orders have in a market: reported to an owner that does not know it, and given back only after the commit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeAccount } from '#base/reach.ts';
import type { Release } from '#market/ports.ts';
import { faultOf, LARGE_TEXT, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const HOLD = 1_111_112n;

function clusterBench(options: ConstructorParameters<typeof OrderServiceBench>[0] = {}): OrderServiceBench {
  return new OrderServiceBench({ ...options, releaseAfterCommit: true });
}

/** Orders that rest, and orders that hold slots. */
function standing(bench: OrderServiceBench): string[][] {
  const { rests, holds } = bench.orderService.standing('tide');
  return [rests.map(({ order }) => order), holds.map(({ order }) => order)];
}

const reasons = (releases: readonly Release[]) => releases.map(({ reason }) => reason);

test('an order rests while it opens and waits, holds its slot until its end has committed, then has nothing', async () => {
  const bench = clusterBench();
  const { id, submission } = await bench.submit();
  assert.deepEqual(standing(bench), [[id], []], 'opening');
  await bench.rest(id);
  await submission;
  assert.deepEqual(standing(bench), [[id], []], 'queued');
  bench.journal.pause();
  await bench.admit(id);
  assert.deepEqual(standing(bench), [[], [id]], 'admitting');
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual(standing(bench), [[], [id]], 'executing');
  bench.journal.pause();
  bench.pods.last.finish();
  await bench.settle();
  assert.deepEqual([standing(bench), bench.sent('release')], [[[], [id]], []], 'finishing');
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual([standing(bench), reasons(bench.sent('release'))], [[[], []], ['finished']]);
});

test('a standing says all that a market needs of an order, in the order of the rested seqs', async () => {
  const bench = clusterBench();
  const running = await bench.running();
  const [opening] = await bench.submitMany(1);
  const second = await bench.waiting();
  const { rests, holds } = bench.orderService.standing('tide');
  assert.deepEqual(holds, [
    {
      ...{ model: 'tide', order: running.orderId, account: 'acct', attempt: 1, pod: 'pod-1' },
      ...{ bid: 5e9, restedSeq: 1, house: false },
    },
  ]);
  assert.deepEqual(
    rests.map(({ order, restedSeq, attempt }) => [order, restedSeq, attempt]),
    [
      [second.orderId, 2, 1],
      [opening?.id, null, 1],
    ],
  );
  assert.deepEqual(bench.orderService.standing('ebb').rests, []);
});

test('an order that is being canceled has nothing in the market', async () => {
  const bench = clusterBench();
  const { orderId } = await bench.waiting();
  bench.journal.pause();
  void bench.orderService.cancel(wholeAccount('acct'), orderId);
  await bench.settle();
  assert.deepEqual(standing(bench), [[], []]);
  bench.journal.resume();
});

test('an order that waits for money has nothing in the market until it returns', async () => {
  const bench = clusterBench();
  bench.setBalance(HOLD + 1n);
  await bench.running();
  const { orderId } = await bench.waiting();
  await bench.admit(orderId);
  assert.deepEqual(standing(bench)[0], []);
  assert.deepEqual(reasons(bench.sent('release')), ['refused']);
  bench.pods.last.finish({ promptTokens: 0, outputTokens: 0 });
  await bench.settle();
  assert.deepEqual(standing(bench)[0], [orderId]);
});

/** An attempt of each kind of end, and the status that follows; the slot comes back once, after the commit. */
const ends = {
  'is settled': { status: 'done', end: (bench: OrderServiceBench) => bench.pods.last.finish() },
  'is settled with a large result': {
    status: 'done',
    end: (bench: OrderServiceBench) => bench.pods.last.say(LARGE_TEXT).finish(),
  },
  'is refused by its model': {
    status: 'error',
    end: (bench: OrderServiceBench) => bench.pods.last.end({ kind: 'refused', message: 'planted' }),
  },
  'fails after output': {
    status: 'error',
    end: (bench: OrderServiceBench) => bench.pods.last.say('more').end({ kind: 'failed', reason: 'planted' }),
  },
  'fails before output': {
    status: 'queued',
    end: (bench: OrderServiceBench) => bench.pods.last.end({ kind: 'failed', reason: 'planted' }),
  },
  'finds no slot': { status: 'queued', end: (bench: OrderServiceBench) => bench.pods.last.end({ kind: 'no-slot' }) },
} as const;

for (const [what, { status, end }] of Object.entries(ends)) {
  for (const detached of [false, true]) {
    test(`the slot of ${detached ? 'a detached' : 'an'} order that ${what} comes back once, after the commit`, async () => {
      const bench = clusterBench();
      const { orderId } = await bench.running(testRequest({ detached }));
      bench.journal.pause();
      end(bench);
      await bench.settle();
      assert.deepEqual([bench.sent('release'), standing(bench)], [[], [[], [orderId]]]);
      bench.journal.resume();
      await bench.settle();
      assert.deepEqual([bench.row(orderId).status, bench.sent('release').length], [status, 1]);
      assert.deepEqual(standing(bench), [status === 'queued' ? [orderId] : [], []]);
      const last = bench.commands.at(-1);
      assert.equal(last?.type, status === 'queued' ? 'rest' : 'release', 'an order rests after its slot came back');
    });
  }
}

for (const kind of ['settle', 'fail', 'requeue'] as const) {
  test(`the slot of an order whose ${kind} can never be written comes back once, with its error row`, async () => {
    const bench = clusterBench();
    const { orderId, outcome } = await bench.running();
    bench.journal.failNext = kind;
    if (kind === 'settle') bench.pods.last.finish();
    else bench.pods.last.end(kind === 'fail' ? { kind: 'refused', message: '' } : { kind: 'no-slot' });
    await bench.settle();
    assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
    assert.deepEqual([bench.row(orderId).status, reasons(bench.sent('release'))], ['error', ['finished']]);
    assert.deepEqual([standing(bench), bench.orderService.counts()], [[[], []], { queued: 0, inflight: 0 }]);
  });
}

test('a caller who leaves while the requeue is written has left the queue after it', async () => {
  const bench = clusterBench();
  const ticket = await bench.running();
  bench.journal.pause();
  bench.pods.last.end({ kind: 'no-slot' });
  await bench.settle();
  ticket.leave();
  bench.journal.resume();
  await bench.settle();
  assert.deepEqual([bench.row(ticket.orderId).status, bench.row(ticket.orderId).error], ['canceled', 'client_closed']);
  assert.deepEqual([bench.sent('release').length, bench.sent('rest').length], [1, 1]);
});

test('a drain that cuts off an order which outlives its caller requeues it, so that its slot is free', async () => {
  const bench = clusterBench();
  const { orderId } = await bench.running(testRequest({ detached: true }));
  const drained = bench.orderService.drain(1000);
  await bench.clock.advance(1000);
  await drained;
  assert.deepEqual([bench.row(orderId).status, reasons(bench.sent('release'))], ['queued', ['finished']]);
  assert.equal(bench.sent('rest').length, 1, 'it does not rest again here');
  assert.deepEqual(bench.orderService.counts(), { queued: 0, inflight: 0 });
});

/** The market changes hands while the admission of an order is being written. */
async function stale(bench: OrderServiceBench, id: string, meanwhile: () => void | Promise<void> = () => {}) {
  bench.journal.pause();
  await bench.admit(id, { epoch: 4 });
  bench.journal.presentEpoch = 5;
  await meanwhile();
  bench.journal.resume();
  await bench.settle();
}

test('a new order whose admission came too late is written as queued at its place, and chosen again', async () => {
  const bench = clusterBench();
  const { id, submission } = await bench.submit();
  await stale(bench, id);
  assert.equal((await submission).type, 'order');
  assert.deepEqual([bench.row(id).status, bench.row(id).restedSeq], ['queued', 1]);
  assert.deepEqual(reasons(bench.sent('release')), ['refused']);
  assert.deepEqual([bench.sent('rest')[1]?.restedSeq, bench.sent('rest')[1]?.attempt], [1, 1]);
  await bench.emit({ type: 'rested', model: 'tide', seq: 1, order: id, restedSeq: 1 });
  assert.equal(bench.journal.units.filter(({ kind }) => kind === 'accept').length, 2, 'the echo writes nothing');
  await bench.admit(id, { epoch: 5 });
  assert.equal(bench.row(id).status, 'executing');
  bench.audit();
});

test('a queued order whose admission came too late waits at its place, and is chosen again', async () => {
  const bench = clusterBench();
  const { orderId } = await bench.waiting();
  await stale(bench, orderId);
  assert.deepEqual([bench.row(orderId).status, standing(bench)], ['queued', [[orderId], []]]);
  assert.deepEqual(bench.orderService.counts(), { queued: 1, inflight: 0 });
  await bench.admit(orderId, { epoch: 5 });
  assert.equal(bench.row(orderId).status, 'executing');
  bench.audit();
});

test('a new order whose caller was refused meanwhile is not written', async () => {
  const bench = clusterBench();
  const { id, submission } = await bench.submit();
  await stale(bench, id, () => bench.journal.passDeadline());
  await assert.rejects(submission, { code: 'unavailable' });
  assert.deepEqual([bench.journal.orders.size, bench.orderService.counts()], [0, { queued: 0, inflight: 0 }]);
  assert.equal(bench.sent('release').length, 1);
});

test('a new order for which too many wait by then is refused', async () => {
  const bench = clusterBench({ limits: { queuedOrdersPerAccount: 1 } });
  await bench.waiting();
  const { id, submission } = await bench.submit();
  await stale(bench, id);
  await assert.rejects(submission, { code: 'queue_full' });
  assert.deepEqual([bench.journal.orders.size, bench.sent('withdraw')[0]?.order], [1, id]);
});

test('a gateway that began to drain turns both away', async () => {
  const bench = clusterBench();
  const { id, submission } = await bench.submit();
  const { orderId, outcome } = await bench.waiting();
  await bench.admit(orderId, { epoch: 4 });
  bench.journal.presentEpoch = 0;
  await stale(bench, id, () => void bench.orderService.drain(1000));
  const accepted = await submission;
  assert.ok(accepted.type === 'order');
  assert.deepEqual([bench.row(id).status, bench.row(id).error], ['canceled', 'gateway_draining']);
  bench.pods.last.finish();
  await bench.settle();
  assert.equal((await outcome).status, 'done');
});

test('a queued order is turned away, ended with its batch or its caller, or expires, as it would have been', async () => {
  const rows: [string, (bench: OrderServiceBench, ticket: { leave(): void }) => void | Promise<void>][] = [
    ['gateway_draining', (bench) => void bench.orderService.drain(1000)],
    ['client_closed', (_bench, ticket) => ticket.leave()],
    ['order_expired', (bench) => bench.clock.advance(700_000)],
  ];
  for (const [error, meanwhile] of rows) {
    const bench = clusterBench();
    const ticket = await bench.waiting();
    await stale(bench, ticket.orderId, () => meanwhile(bench, ticket));
    await bench.clock.advance(0);
    assert.equal(bench.row(ticket.orderId).error, error);
    assert.deepEqual([standing(bench), bench.sent('release').length], [[[], []], 1]);
  }
});

test('a line whose batch was canceled meanwhile is canceled', async () => {
  const bench = clusterBench();
  const { orderId } = await bench.waiting(testRequest(), { line: testLine() });
  await stale(bench, orderId, () => bench.orderService.cancelLines('batch', 'order_canceled'));
  assert.deepEqual([bench.row(orderId).status, standing(bench)], ['canceled', [[], []]]);
  const other = clusterBench();
  const { id, submission } = await other.submit(testRequest(), { line: testLine() });
  await stale(other, id, () => other.journal.closeBatch('batch'));
  await assert.rejects(submission, { code: 'order_canceled' });
  assert.deepEqual([other.journal.orders.size, standing(other)], [0, [[], []]]);
});

test('an order accepted too late, chosen too late, ends uncharged', async () => {
  const bench = clusterBench();
  const { id, submission } = await bench.submit();
  bench.journal.pause();
  await bench.rest(id);
  bench.journal.passDeadline();
  await stale(bench, id);
  await assert.rejects(submission, { code: 'unavailable' });
  assert.deepEqual([bench.row(id).status, bench.row(id).error], ['canceled', 'gateway_unavailable']);
});

test('orders of another gateway are taken in at any time, and once', async () => {
  const before = clusterBench();
  const { orderId } = await before.waiting(testRequest({ detached: true }));
  const bench = clusterBench();
  const own = await bench.running();
  bench.journal.orders.set(orderId, before.row(orderId));
  bench.journal.bodies.set(orderId, { messages: [] });
  bench.orderService.recover([before.row(orderId)]);
  bench.orderService.recover([before.row(orderId)]);
  assert.deepEqual(standing(bench), [[orderId], [own.orderId]]);
  assert.equal(bench.sent('rest').filter(({ order }) => order === orderId).length, 1);
  await bench.admit(orderId);
  bench.orderService.recover([before.row(orderId)]);
  assert.deepEqual(standing(bench), [[], [own.orderId, orderId]]);
});
