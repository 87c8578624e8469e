/** Inputs of queued orders: bytes instead of trees, in files when they are large, within budgets. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { wholeAccount } from '#base/reach.ts';
import { benchListing, faultOf, OrderServiceBench, testLine, testRequest } from '#testing/order-service-bench.ts';

const KIB = 1024;

/** A request whose input has `bytes` bytes as JSON. */
function requestOf(bytes: number, extensions: Parameters<typeof testRequest>[0] = {}) {
  return testRequest(extensions, {
    generation: { body: bodyOf(bytes), promptBound: 100, promptEstimate: 50 },
  });
}

/** The same as another thread reads it. */
function packedRequestOf(bytes: number) {
  const json = Buffer.from(JSON.stringify(bodyOf(bytes)));
  return testRequest({}, { generation: { json, promptBound: 100, promptEstimate: 50 } });
}

function bodyOf(bytes: number) {
  return { messages: [{ role: 'user', content: 'x'.repeat(bytes - 43) }] };
}

async function codeOf(submission: Promise<unknown>): Promise<unknown> {
  return submission.then(
    () => 'taken',
    (error) => error.code,
  );
}

test('a small input waits in memory, and its order runs with it', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(requestOf(KIB));
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: KIB, inMemory: KIB });
  assert.equal(bench.inputFiles.blobs.size, 0);
  await bench.admit(orderId);
  assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(KIB));
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: KIB });
  bench.pods.last.say('Hi');
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 0 });
});

test('an input that came as JSON runs as it was, again after a failure, and is kept until output begins', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.running(packedRequestOf(100 * KIB));
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 100 * KIB });
  bench.pods.last.end({ kind: 'failed', reason: 'gone' });
  await bench.settle();
  assert.deepEqual([...bench.inputFiles.blobs.keys()], [orderId]);
  await bench.admit(orderId, { attempt: 2, pod: 'pod-2' });
  await bench.settle();
  for (const { request } of bench.pods.attempts) assert.deepEqual(request.generation.body, bodyOf(100 * KIB));
  assert.equal(bench.pods.attempts.length, 2);
  bench.pods.last.say('Hi');
  await bench.settle();
  assert.equal(bench.inputFiles.blobs.size, 0);
});

test('an order that runs keeps its input on disk when there is too much in memory', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 150 * KIB } });
  await bench.running(packedRequestOf(100 * KIB));
  const { orderId } = await bench.running(packedRequestOf(100 * KIB));
  await bench.settle();
  assert.deepEqual([...bench.inputFiles.blobs.keys()], [orderId]);
  assert.equal(bench.orderService.waitingBytes.inMemory, 100 * KIB);
});

test('an input that came as JSON has the effort that its listing knows, and is logged with its user', async () => {
  const listing = benchListing({ reasoningEfforts: ['high'] });
  const bench = new OrderServiceBench({ listings: [listing] });
  const json = Buffer.from(JSON.stringify(bodyOf(KIB)));
  const generation = { json, promptBound: 100, promptEstimate: 50, reasoningEffort: 'high' };
  const request = testRequest({}, { generation, askedBy: { user: 'me' } });
  const customer = { ...bench.customer, logPayloads: true };
  await bench.running(request, { customer });
  const sent = { ...bodyOf(KIB), reasoning_effort: 'high' };
  assert.deepEqual(bench.pods.last.request.generation.body, sent);
  const accepted = bench.journal.units.find(({ kind }) => kind === 'accept');
  const logged = accepted?.kind === 'accept' ? accepted.requestLog?.body : undefined;
  assert.deepEqual(JSON.parse(logged ?? ''), { ...sent, user: 'me' });
});

test('a large input waits in a file, which is gone when the order has ended', async () => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(requestOf(100 * KIB));
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 0 });
  assert.deepEqual([...bench.inputFiles.blobs.keys()], [orderId]);
  await bench.admit(orderId);
  await bench.settle();
  assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(100 * KIB));
  bench.pods.last.say('Hi').finish();
  assert.equal((await outcome).status, 'done');
  await bench.settle();
  assert.equal(bench.inputFiles.blobs.size, 0);
});

test('a large detached input waits in its row alone', async () => {
  const bench = new OrderServiceBench();
  const { orderId } = await bench.waiting(requestOf(100 * KIB, { detached: true }));
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 0 });
  assert.equal(bench.inputFiles.blobs.size, 0);
  await bench.admit(orderId);
  await bench.settle();
  assert.equal(bench.pods.attempts.length, 1);
});

test('beyond the memory budget small inputs wait in files', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 2 * KIB } });
  for (let waiting = 0; waiting < 4; waiting++) {
    await bench.waiting(requestOf(KIB));
    await bench.settle();
  }
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 4 * KIB, inMemory: 2 * KIB });
  assert.equal(bench.inputFiles.blobs.size, 2);
});

test('while the disk fails inputs stay in memory, up to twice the budget, and then orders are refused', async (t) => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: KIB } });
  t.mock.method(bench.inputFiles, 'putGently', () => Promise.reject(new Error('ENOSPC')));
  for (let waiting = 0; waiting < 2; waiting++) await bench.waiting(requestOf(KIB));
  const { id, submission } = await bench.submit(requestOf(KIB));
  await bench.rest(id);
  assert.equal(await codeOf(submission), 'unavailable');
});

test('an input that the disk refused leaves the count of the memory when its order ends', async (t) => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 150 * KIB } });
  const put = t.mock.method(bench.inputFiles, 'putGently', () => Promise.reject(new Error('ENOSPC')));
  for (let round = 0; round < 5; round++) {
    const canceled = await bench.waiting(requestOf(100 * KIB));
    const run = await bench.waiting(requestOf(100 * KIB));
    await bench.settle();
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 200 * KIB, inMemory: 200 * KIB });
    await bench.orderService.cancel(wholeAccount('acct'), canceled.orderId);
    await bench.admit(run.orderId);
    assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(100 * KIB));
    bench.pods.last.say('Hi').finish();
    await run.outcome;
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 0 });
  }
  put.mock.restore();
  await bench.waiting(requestOf(100 * KIB));
  await bench.settle();
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 0 });
});

test('an input that the disk refused goes to a file at the next attempt, and comes back as it was', async (t) => {
  const bench = new OrderServiceBench();
  const put = t.mock.method(bench.inputFiles, 'putGently', () => Promise.reject(new Error('ENOSPC')));
  const { orderId } = await bench.waiting(requestOf(100 * KIB));
  await bench.settle();
  put.mock.restore();
  await bench.admit(orderId);
  bench.pods.last.end({ kind: 'failed', reason: 'gone' });
  await bench.settle();
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 0 });
  assert.deepEqual([...bench.inputFiles.blobs.keys()], [orderId]);
  await bench.admit(orderId, { attempt: 2 });
  await bench.settle();
  assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(100 * KIB));
});

for (const [how, end] of [
  ['succeeds', (resolve: () => void) => resolve()],
  ['fails', (_resolve: () => void, reject: (error: Error) => void) => reject(new Error('EIO'))],
] as const) {
  test(`an order that ends while its input is written leaves nothing, when the write ${how}`, async (t) => {
    const bench = new OrderServiceBench();
    let finish = () => {};
    const removed = t.mock.method(bench.inputFiles, 'delete');
    t.mock.method(
      bench.inputFiles,
      'putGently',
      () =>
        new Promise<void>((resolve, reject) => {
          finish = () => end(resolve, reject);
        }),
    );
    const { id } = await bench.submit(requestOf(100 * KIB));
    await bench.rest(id);
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 100 * KIB });
    await bench.orderService.cancel(wholeAccount('acct'), id);
    finish();
    await bench.settle();
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 0 });
    assert.equal(removed.mock.callCount(), 1);
  });
}

test('an order whose input the disk does not give back when it is to run is refused, uncharged', async (t) => {
  const bench = new OrderServiceBench();
  const { orderId, outcome } = await bench.waiting(requestOf(100 * KIB));
  const silent = new Fault('unavailable', { retryAfterS: 30 });
  t.mock.method(bench.inputFiles, 'get', () => Promise.reject(silent));
  await bench.admit(orderId);
  const { code, retryAfterS } = faultOf(await outcome);
  assert.deepEqual([code, retryAfterS], ['unavailable', 30]);
  assert.equal(bench.row(orderId).error, 'gateway_unavailable');
  assert.equal(bench.pods.attempts.length, 0);
  bench.audit();
});

test('a disk below its reserve gets no inputs: they wait in memory as far as that goes, and then orders are refused', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 150 * KIB } });
  bench.disk.low = true;
  await bench.waiting(requestOf(100 * KIB));
  const refused = await bench.submit(requestOf(100 * KIB));
  await bench.rest(refused.id);
  await assert.rejects(refused.submission, { code: 'unavailable', retryAfterS: 30 });
  await bench.waiting(requestOf(10 * KIB));
  assert.equal(bench.inputFiles.blobs.size, 0);
  bench.disk.low = false;
  await bench.waiting(requestOf(100 * KIB));
  await bench.settle();
  assert.equal(bench.inputFiles.blobs.size, 1);
});

test('what goes to the disk counts against its reserve before it is measured', async (t) => {
  const bench = new OrderServiceBench();
  const willWrite = t.mock.method(bench.disk, 'willWrite');
  await bench.waiting(requestOf(100 * KIB));
  await bench.waiting(requestOf(KIB));
  assert.deepEqual(
    willWrite.mock.calls.map(({ arguments: [bytes] }) => bytes),
    [100 * KIB],
  );
});

test('on a disk with little room less may wait than is configured', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 110 * KIB } });
  bench.disk.availableBytes = 0;
  await bench.waiting(requestOf(100 * KIB));
  const refused = await bench.submit(requestOf(100 * KIB));
  await bench.rest(refused.id);
  assert.equal(await codeOf(refused.submission), 'queued_bytes_exceeded');
  bench.disk.availableBytes = 100 * KIB;
  await bench.waiting(requestOf(100 * KIB));
});

test('files are written one at a time, and none for an order that has ended meanwhile', async (t) => {
  const bench = new OrderServiceBench();
  const writes: (() => void)[] = [];
  const put = t.mock.method(bench.inputFiles, 'putGently', () => new Promise<void>((resolve) => writes.push(resolve)));
  const ids = (await bench.submitMany(3, requestOf(100 * KIB))).map(({ id }) => id);
  for (const id of ids) await bench.rest(id);
  assert.equal(put.mock.callCount(), 1);
  await bench.orderService.cancel(wholeAccount('acct'), ids[1] ?? '');
  writes[0]?.();
  await bench.settle();
  writes[1]?.();
  await bench.settle();
  assert.deepEqual(
    put.mock.calls.map(({ arguments: [id] }) => id),
    [ids[0], ids[2]],
  );
});

test('a caller has its ticket while the input is still written, and may leave', async (t) => {
  const bench = new OrderServiceBench();
  const written = Promise.withResolvers<void>();
  t.mock.method(bench.inputFiles, 'putGently', () => written.promise);
  const ticket = await bench.waiting(requestOf(100 * KIB));
  let inMemory = true;
  void ticket.inputWritten?.then(() => {
    inMemory = false;
  });
  await bench.settle();
  assert.equal(inMemory, true);
  ticket.leave();
  await bench.settle();
  assert.equal(bench.row(ticket.orderId).status, 'canceled');
  written.resolve();
  await bench.settle();
  assert.equal(inMemory, false);
});

test('beyond the bytes of its account an order is refused, uncharged, and taken once one has ended', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesPerAccount: 250 * KIB } });
  const first = await bench.waiting(requestOf(100 * KIB));
  await bench.waiting(requestOf(100 * KIB));
  const refused = await bench.submit(requestOf(100 * KIB));
  await bench.rest(refused.id);
  assert.equal(await codeOf(refused.submission), 'queued_bytes_exceeded');
  await bench.orderService.cancel(wholeAccount('acct'), first.orderId);
  await bench.waiting(requestOf(100 * KIB));
  assert.equal(bench.orderService.waitingBytes.waiting, 200 * KIB);
  bench.audit();
});

test('an account may use as much of the whole budget as it leaves free', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytes: 400 * KIB } });
  for (let waiting = 0; waiting < 2; waiting++) await bench.waiting(requestOf(100 * KIB));
  const refused = await bench.submit(requestOf(100 * KIB));
  await bench.rest(refused.id);
  assert.equal(await codeOf(refused.submission), 'queued_bytes_exceeded');
});

test('every end of an order gives its bytes back', async () => {
  const bench = new OrderServiceBench();
  const none = { waiting: 0, inMemory: 0 };
  const expiring = await bench.waiting(requestOf(100 * KIB, { maxWaitS: 10 }));
  await bench.clock.advance(10_001);
  assert.equal(faultOf(await expiring.outcome).code, 'order_expired');
  assert.deepEqual(bench.orderService.waitingBytes, none);
  const left = await bench.waiting(requestOf(100 * KIB));
  left.leave();
  await bench.settle();
  assert.deepEqual(bench.orderService.waitingBytes, none);
  await bench.running(requestOf(100 * KIB));
  bench.pods.last.end({ kind: 'failed', reason: 'gone' });
  await bench.settle();
  assert.deepEqual(bench.orderService.waitingBytes, { waiting: 100 * KIB, inMemory: 0 });
  await bench.orderService.drain(1000);
  assert.deepEqual(bench.orderService.waitingBytes, none);
  assert.equal(bench.inputFiles.blobs.size, 0);
});

test('what answers repeat of waiting requests has a share of the memory for each account', async () => {
  const bench = new OrderServiceBench({ bounds: { queuedBytesInMemory: 400 * KIB } });
  const repeating = (bytes: number) => testRequest({}, { repeated: new Uint8Array(bytes) });
  const first = await bench.waiting(repeating(100 * KIB));
  await bench.waiting(repeating(100 * KIB));
  const refused = await bench.submit(repeating(KIB));
  await bench.rest(refused.id);
  assert.equal(await codeOf(refused.submission), 'queued_bytes_exceeded');
  await bench.waiting(testRequest());
  bench.journal.accounts.set('other', { balance: 10_000_000_000n, held: 0n });
  await bench.waiting(repeating(100 * KIB), { customer: { ...bench.customer, accountId: 'other' } });
  await bench.orderService.cancel(wholeAccount('acct'), first.orderId);
  await bench.waiting(repeating(KIB));
});

describe('the large input of an order that outlives its caller', () => {
  const large = (extensions: Parameters<typeof testRequest>[0] = { detached: true }) =>
    testRequest(extensions, { generation: packedRequestOf(300 * KIB).generation });

  test('is in a file before its row commits, and not in the row, until the order has ended', async () => {
    const bench = new OrderServiceBench();
    bench.journal.pause();
    const { id } = await bench.submit(large());
    assert.deepEqual([...bench.inputFiles.blobs.keys()], [id]);
    bench.journal.resume();
    await bench.admit(id);
    assert.equal(bench.journal.bodies.size, 0);
    assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(300 * KIB));
    bench.pods.last.say('Hi');
    await bench.settle();
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 0 });
    assert.equal(bench.inputFiles.blobs.size, 1);
    bench.pods.last.finish();
    await bench.settle();
    assert.equal(bench.inputFiles.blobs.size, 0);
  });

  test('waits on disk alone, and is read back', async () => {
    const bench = new OrderServiceBench();
    const { orderId } = await bench.waiting(large());
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 300 * KIB, inMemory: 0 });
    await bench.admit(orderId);
    await bench.settle();
    assert.deepEqual(bench.pods.last.request.generation.body, bodyOf(300 * KIB));
  });

  test('stays for the next process when this one closes', async () => {
    const bench = new OrderServiceBench();
    const waiting = await bench.waiting(large());
    await bench.running(large());
    bench.pods.last.say('Hi');
    const drained = bench.orderService.drain(1000);
    await bench.clock.advance(1000);
    await drained;
    await bench.settle();
    assert.equal(bench.inputFiles.blobs.size, 2);
    const next = new OrderServiceBench({ files: bench.inputFiles });
    const row = { ...bench.row(waiting.orderId), status: 'queued' as const };
    next.journal.orders.set(row.id, row);
    next.orderService.recover([row], new Set(bench.inputFiles.blobs.keys()));
    await next.rest(row.id);
    await next.admit(row.id);
    await next.settle();
    assert.deepEqual(next.pods.last.request.generation.body, bodyOf(300 * KIB));
  });

  test('503 when the disk fails, and there is no order', async (t) => {
    const bench = new OrderServiceBench();
    t.mock.method(bench.inputFiles, 'putSafely', () => Promise.reject(new Error('ENOSPC')));
    const { submission } = await bench.submit(large());
    await assert.rejects(submission, { code: 'unavailable' });
    assert.equal(bench.journal.orders.size, 0);
    assert.deepEqual(bench.orderService.waitingBytes, { waiting: 0, inMemory: 0 });
  });

  test('is gone when its order was refused', async () => {
    const bench = new OrderServiceBench({ limits: { queuedOrdersPerAccount: 0 } });
    const { id, submission } = await bench.submit(large());
    await bench.rest(id);
    assert.equal(await codeOf(submission), 'queue_full');
    await bench.settle();
    assert.equal(bench.inputFiles.blobs.size, 0);
  });

  test('is kept like that for a line of a batch as well', async () => {
    const bench = new OrderServiceBench();
    await bench.waiting(requestOf(300 * KIB), { line: testLine() });
    assert.deepEqual([bench.inputFiles.blobs.size, bench.journal.bodies.size], [1, 0]);
  });
});
