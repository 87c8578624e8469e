/** Pods that several gateways run orders on: each sends the others what it learns, and counts what they send. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import type { Capacity } from '#market/ports.ts';
import type { PodReport } from '#orders/ports.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { cannedReply, errorReply, type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { PodPool } from './pool.ts';

const reply = { now: cannedReply() };
let clock: ManualClock;
let mock: MockBackend;
let pool: PodPool;
let capacity: Capacity | undefined;
const reports: string[] = [];

afterEach(async () => {
  await pool.close();
  await mock.close();
});

async function start(): Promise<void> {
  clock = new ManualClock();
  reports.length = 0;
  mock = await startMockBackend({ reply: () => reply.now });
  pool = new PodPool([podConfig({ url: mock.url })], {
    ...{ clock, random: { next: () => 0 }, log: silentLog },
    onCapacity: (reported) => {
      capacity = reported;
    },
    onReport: ({ order, kind }) => reports.push(`${order} ${kind}`),
  });
  pool.start();
  await until(() => capacity?.healthy === true);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await clock.advance(0);
}

async function run(orderId: string): Promise<string> {
  const sink = new RecordingSink();
  pool.execute(attemptRequest({}, { orderId }), sink);
  let kind: string | null = null;
  void sink.end.then((outcome) => {
    kind = outcome.kind;
  });
  await until(() => kind !== null);
  return String(kind);
}

const report = (order: string, kind: PodReport['kind']): PodReport => ({ model: 'tide', pod: 'pod-1', order, kind });

test('failures are reported, and the first answer after them', async () => {
  await start();
  reply.now = cannedReply();
  await run('a');
  reply.now = errorReply(500, 'no');
  await run('b');
  reply.now = errorReply(429, 'full');
  await run('c');
  reply.now = cannedReply();
  await run('d');
  await run('e');
  assert.deepEqual(reports, ['b failed', 'c no-slot', 'd served']);
});

test('a full pod loses one slot for each attempt that was refused, here or elsewhere', async () => {
  await start();
  reply.now = errorReply(429, 'full');
  await run('a');
  assert.equal(capacity?.slots, 3);
  pool.reported(report('b', 'no-slot'));
  assert.equal(capacity?.slots, 2);
  await clock.advance(60_000);
  assert.equal(capacity?.slots, 4);
});

test('failures of several gateways count together, and an answer anywhere ends them', async () => {
  await start();
  reply.now = errorReply(500, 'no');
  await run('a');
  pool.reported(report('b', 'failed'));
  pool.reported(report('c', 'served'));
  pool.reported(report('d', 'failed'));
  await run('e');
  assert.equal(capacity?.healthy, true);
  pool.reported(report('f', 'failed'));
  await until(() => capacity?.healthy === false);
});

test('a report of a pod that this gateway does not have changes nothing', async () => {
  await start();
  pool.reported({ ...report('a', 'no-slot'), pod: 'pod-2' });
  assert.equal(capacity?.slots, 4);
});
