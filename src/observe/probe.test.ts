import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import type { OrderEnd, Submission, Ticket, Watcher } from '#orders/order-port.ts';
import type { Customer, InferenceRequest } from '#orders/request.ts';
import type { Answer } from '#results/result.ts';
import { marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { ProbeResult } from './ports.ts';
import { Prober } from './probe.ts';

const startMs = Date.UTC(2026, 0, 1);
const DONE: OrderEnd = { status: 'done', answer: {} as Answer };
const EXPIRED: OrderEnd = { status: 'expired', fault: new Fault('order_expired') };
const FAILED: OrderEnd = { status: 'error', fault: new Fault('internal_error') };

/** A prober with an order service that only stores requests; the test ends the orders. */
function bench({ refuse = null as Fault | null, models = ['tide-70b'] } = {}) {
  const clock = new ManualClock(startMs);
  const sent: { customer: Customer; request: InferenceRequest; ticket: { admittedAtMs: number }; watcher: Watcher }[] =
    [];
  const recorded: ProbeResult[] = [];
  const state = { answered: true, degraded: false, recordingFails: false };
  const prober = new Prober({
    orders: {
      async submit(customer, request): Promise<Submission> {
        if (refuse) throw refuse;
        const ticket = {
          admittedAtMs: 0,
          watch: (watcher: Watcher) => sent.push({ customer, request, ticket, watcher }),
        };
        return { type: 'order', ticket: ticket as unknown as Ticket };
      },
    },
    houseId: 'house',
    ready: {
      probed: () => models.map((id) => marketListing({ id })),
      answered: () => state.answered,
      degraded: () => state.degraded,
    },
    market: {
      current: (model) => ({
        model,
        level: 420_000_000,
        levelSeq: 1,
        mode: 'clearing',
        degraded: false,
        updatedAtMs: 0,
        preview: false,
      }),
      quote: () => null,
    },
    store: {
      async record(result) {
        if (state.recordingFails) throw new Error('no disk');
        recorded.push(result);
      },
    },
    clock,
    log: silentLog,
    intervalMs: 60_000,
  });
  /** Ends the newest probe, which was admitted `admittedAfterMs` after it was sent, or never. */
  const end = async (how: OrderEnd, admittedAfterMs: number | null = null) => {
    const last = sent.at(-1);
    assert.ok(last, 'nothing was sent');
    if (admittedAfterMs !== null) last.ticket.admittedAtMs = startMs + 60_000 + admittedAfterMs;
    last.watcher.ended(how);
    await clock.advance(0);
  };
  return { clock, sent, recorded, state, prober, end };
}

test('each model that can be probed is probed at each multiple of the interval', async () => {
  const { clock, sent, end } = bench({ models: ['tide-70b', 'rock-8b'] });
  await clock.advance(59_999);
  assert.equal(sent.length, 0);
  await clock.advance(1);
  assert.deepEqual(
    sent.map(({ request }) => request.model),
    ['tide-70b', 'rock-8b'],
  );
  await end(DONE, 0);
  await clock.advance(60_000);
  assert.deepEqual(
    sent.slice(2).map(({ request }) => request.model),
    ['rock-8b'],
  );
});

test('a probe is a house order at the published level, waits less than the interval and stores nothing', async () => {
  const { clock, sent } = bench();
  await clock.advance(60_000);
  const [{ customer, request } = assert.fail()] = sent;
  assert.deepEqual([customer.accountId, customer.house, customer.retentionDays], ['house', true, 0]);
  assert.equal(request.extensions.limit, 420_000_000);
  assert.deepEqual([request.extensions.maxWaitS, request.extensions.store, request.idempotency], [59, false, null]);
  assert.ok(request.outputCap !== null && request.outputCap <= 16);
});

test('time in the queue and time in the pipeline are measured separately', async () => {
  const { clock, recorded, end } = bench();
  await clock.advance(60_000 + 1_500);
  await end(DONE, 900);
  assert.deepEqual(recorded, [
    { model: 'tide-70b', atMs: startMs + 60_000, outcome: 'done', queueMs: 900, pipelineMs: 600 },
  ]);
});

test('a probe that expired because of demand is not a failure', async () => {
  const { clock, recorded, end } = bench();
  await clock.advance(60_000 + 59_000);
  await end(EXPIRED);
  assert.partialDeepStrictEqual(recorded, [{ outcome: 'crowded', queueMs: 59_000, pipelineMs: 0 }]);
});

test('a probe that expired because no pod is healthy is a failure', async () => {
  const { clock, recorded, state, end } = bench();
  await clock.advance(60_000);
  state.degraded = true;
  await end(EXPIRED);
  assert.equal(recorded[0]?.outcome, 'failed');
});

test('an error, and an order that expired after it ran, are failures', async () => {
  for (const how of [FAILED, EXPIRED]) {
    const { clock, recorded, end } = bench();
    await clock.advance(60_000);
    await end(how, 0);
    assert.equal(recorded[0]?.outcome, 'failed');
  }
});

test('a probe that the gateway refuses is a failure', async () => {
  const { clock, recorded } = bench({ refuse: new Fault('unavailable') });
  await clock.advance(60_000);
  assert.partialDeepStrictEqual(recorded, [{ outcome: 'failed', queueMs: 0, pipelineMs: 0 }]);
});

test('nothing is recorded before the first answer of a model', async () => {
  const { clock, recorded, state, end } = bench();
  state.answered = false;
  await clock.advance(60_000);
  await end(FAILED, 0);
  await clock.advance(60_000 + 59_000);
  await end(EXPIRED);
  assert.deepEqual(recorded, []);
  await clock.advance(1_000);
  state.answered = true;
  await end(DONE, 120_000);
  assert.partialDeepStrictEqual(recorded, [{ outcome: 'done' }]);
  assert.equal(recorded.length, 1);
});

test('a model has one probe at a time', async () => {
  const { clock, sent, end } = bench();
  await clock.advance(180_000);
  assert.equal(sent.length, 1);
  await end(DONE, 0);
  await clock.advance(60_000);
  assert.equal(sent.length, 2);
});

test('a result that cannot be recorded stops nothing', async () => {
  const { clock, sent, state, end } = bench();
  state.recordingFails = true;
  await clock.advance(60_000);
  await end(DONE, 0);
  await clock.advance(60_000);
  assert.equal(sent.length, 2);
});

test('after stop nothing is sent, no timer is left, and probes cut off by it are not recorded', async () => {
  const { clock, sent, recorded, prober, end } = bench();
  await clock.advance(60_000);
  prober.stop();
  await end({ status: 'canceled', fault: new Fault('unavailable') });
  await prober.idle();
  await clock.advance(600_000);
  assert.deepEqual([sent.length, recorded.length, clock.pending], [1, 0, 0]);
});
