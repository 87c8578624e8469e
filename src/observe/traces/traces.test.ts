import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyResource } from '@opentelemetry/resources';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { silentLog } from '#base/log.ts';
import type { BegunAttempt, EndedAttempt, EndedOrder } from '#orders/order-facts.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { attributeCatalogue } from './catalogue.ts';
import { Traces } from './traces.ts';

const START_MS = Date.UTC(2026, 0, 1);
const told = {
  orderId: '01980d3e-0000-7000-8000-000000000000',
  model: 'tide',
  kind: 'chat',
  attended: true,
  batchId: null,
  bid: 5_000_000_000,
  createdAtMs: START_MS,
} as const;
const attempt: BegunAttempt = {
  ...{ ...told, attempt: 1, pod: 'gpu-1', price: 1_250_000_000, outputCap: 100 },
  ...{ queuedAtMs: START_MS, admittedAtMs: START_MS + 2_500 },
};
const done: EndedOrder = {
  ...{ ...told, account: 'acme', status: 'done', error: null, endedAtMs: START_MS + 4_000, price: 1_250_000_000 },
  ...{ waitedSinceMs: null, allMs: 4_000, queueMs: 2_500, pipelineMs: 1_500, firstTokenMs: 3_000 },
  charge: {
    tokens: { uncached: 8, cached: 4, output: 8 },
    charged: 1_500_000n,
    writtenOff: 0n,
    aboveBound: 0n,
    estimated: false,
  },
};
const complete: EndedAttempt = {
  outcome: 'complete',
  firstOutputAtMs: START_MS + 3_000,
  finishReason: 'length',
  usage: { promptTokens: 12, cachedTokens: 4, outputTokens: 8, reasoningTokens: null },
};
const request = { method: 'POST', parent: null, atMs: START_MS } as const;
const answered = { route: '/v1/chat/completions', status: 200, fault: null, orderId: told.orderId, gone: false };

function tracesWith(ratio = 1) {
  const clock = new ManualClock(START_MS);
  const exporter = new InMemorySpanExporter();
  const sampling = { parentBased: true, ratio };
  const traces = new Traces({ sampling, exporter, resource: emptyResource(), clock, log: silentLog });
  /** Name, beginning and end, in milliseconds since the start, of everything that was exported. */
  const exported = async () => {
    await clock.advance(5_000);
    const ms = ([s, ns]: readonly [number, number]) => s * 1_000 + ns / 1e6 - START_MS;
    return exporter.getFinishedSpans().map(({ name, startTime, endTime, attributes }) => {
      return { name, from: ms(startTime), to: ms(endTime), attributes };
    });
  };
  return { clock, traces, exported };
}

test('each span has the times of what it is about', async () => {
  const { clock, traces, exported } = tracesWith();
  const { trace, ended } = traces.begun(request);
  await clock.advance(2_510);
  const followed = trace.follower?.began(attempt);
  await clock.advance(1_490);
  followed?.ended(complete);
  await clock.advance(7);
  trace.follower?.ended(done);
  await clock.advance(3);
  ended({ ...answered, atMs: clock.nowMs() });
  const spans = await exported();
  assert.deepEqual(
    spans.map(({ name, from, to }) => [name, from, to]),
    [
      ['queue', 0, 2_500],
      ['admission', 2_500, 2_510],
      ['chat tide', 2_510, 4_000],
      ['settlement', 4_000, 4_007],
      ['POST /v1/chat/completions', 0, 4_010],
    ],
  );
  const [, , chat, settlement, whole] = spans;
  assert.equal(chat?.attributes['gen_ai.response.time_to_first_chunk'], 0.49);
  assert.deepEqual(chat?.attributes['gen_ai.response.finish_reasons'], ['length']);
  assert.equal(settlement?.attributes['sluice.order.charged_usd'], 0.0015);
  assert.equal(whole?.attributes['sluice.order.level'], 1.25);
  for (const { attributes } of spans)
    for (const name of Object.keys(attributes)) assert.ok(Object.hasOwn(attributeCatalogue, name), name);
});

test('an order for which nobody waits ends its own span, and one that waited to its end has a queue alone', async () => {
  const { clock, traces, exported } = tracesWith();
  const { follower } = traces.newTrace();
  await clock.advance(9_000);
  const end = { status: 'expired', error: 'order_expired', charge: null, price: null } as const;
  const waited = { endedAtMs: START_MS + 8_990, waitedSinceMs: START_MS };
  follower?.ended({ ...done, ...end, ...waited, attended: false, batchId: 'batch_1' });
  const spans = await exported();
  assert.deepEqual(
    spans.map(({ name, from, to, attributes }) => [name, from, to, attributes['error.type']]),
    [
      ['queue', 0, 8_990, 'order_expired'],
      ['order tide', 0, 9_000, 'order_expired'],
    ],
  );
  assert.equal(spans[1]?.attributes['sluice.batch.id'], 'batch_1');
});

test('an order that outlives its request adds nothing to it, and keeps its own spans', async () => {
  const { clock, traces, exported } = tracesWith();
  const { trace, ended } = traces.begun(request);
  const followed = trace.follower?.began({ ...attempt, admittedAtMs: START_MS });
  ended({ ...answered, status: null, gone: true, atMs: clock.nowMs() });
  followed?.ended({ ...complete, outcome: 'aborted' });
  trace.follower?.ended(done);
  const spans = await exported();
  const whole = spans.find(({ name }) => name === 'POST /v1/chat/completions');
  assert.equal(whole?.attributes['error.type'], 'client_closed');
  assert.equal(whole?.attributes['sluice.order.charged_usd'], undefined);
  assert.equal(spans.at(-1)?.name, 'settlement');
});

test('a clock that stepped back makes no span of negative length', async () => {
  const { traces, exported } = tracesWith();
  const { trace, ended } = traces.begun({ ...request, atMs: START_MS + 60_000 });
  trace.follower?.began({ ...attempt, queuedAtMs: START_MS + 90_000, admittedAtMs: START_MS })?.ended(complete);
  trace.follower?.ended({ ...done, endedAtMs: START_MS + 99_000 });
  ended({ ...answered, atMs: START_MS });
  for (const { name, from, to } of await exported()) assert.ok(from <= to, name);
});

test('what is not kept has ids for the pod and nothing else', async () => {
  const { traces, exported } = tracesWith(0);
  const one = traces.begun(request);
  assert.equal(one.trace.follower, null);
  assert.match(one.trace.context.traceparent, /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  one.ended({ ...answered, atMs: START_MS });
  assert.equal(traces.newTrace().follower, null);
  const parent = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=1' };
  assert.notEqual(traces.begun({ ...request, parent }).trace.follower, null, 'The caller keeps it.');
  assert.deepEqual(await exported(), []);
});
