import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndedOrder } from '#orders/order-facts.ts';
import { type MetricName, metricCatalogue } from './catalogue.ts';
import { GatewayCounts } from './gateway-counts.ts';

const settled: EndedOrder = {
  account: 'acme',
  orderId: '019b8e14-0000-7000-8000-000000000000',
  model: 'tide',
  kind: 'chat',
  status: 'done',
  error: null,
  attended: true,
  batchId: null,
  bid: 1_000_000_000,
  price: 1_000_000_000,
  createdAtMs: 0,
  endedAtMs: 3000,
  waitedSinceMs: null,
  allMs: 3000,
  queueMs: 500,
  pipelineMs: 2500,
  firstTokenMs: 1000,
  charge: {
    tokens: { uncached: 10, cached: 90, output: 21 },
    charged: 1_500_000_000n,
    writtenOff: 0n,
    aboveBound: 0n,
    estimated: false,
  },
};

/** The samples of one metric by name and labels. */
function samplesOf(counts: GatewayCounts, name: MetricName): Record<string, number> {
  const lines = [...counts.lines(name)].join('').trimEnd().split('\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

/** The sum and the count of each series of a histogram, by the labels. */
function totalsOf(counts: GatewayCounts, name: MetricName): Record<string, number> {
  const totals = Object.entries(samplesOf(counts, name)).filter(([series]) => /_(?:sum|count)(?:\{|$)/.test(series));
  return Object.fromEntries(totals.map(([series, value]) => [series.slice(name.length + 1), value]));
}

test('a settled order is counted with its times, its tokens and its charge', () => {
  const counts = new GatewayCounts(['tide']);
  counts.ended(settled);
  const named = 'gen_ai_operation_name="chat",gen_ai_request_model="tide"';
  assert.equal(
    samplesOf(counts, 'sluice_orders_total')['sluice_orders_total{model="tide",kind="chat",status="done"}'],
    1,
  );
  const totals = (name: MetricName) => totalsOf(counts, name);
  assert.deepEqual(totals('sluice_order_queue_seconds'), { 'sum{model="tide"}': 0.5, 'count{model="tide"}': 1 });
  assert.deepEqual(totals('sluice_order_pipeline_seconds'), { 'sum{model="tide"}': 2.5, 'count{model="tide"}': 1 });
  assert.deepEqual(totals('gen_ai_server_request_duration_seconds'), { [`sum{${named}}`]: 3, [`count{${named}}`]: 1 });
  assert.deepEqual(totals('gen_ai_server_time_to_first_token_seconds'), {
    [`sum{${named}}`]: 1,
    [`count{${named}}`]: 1,
  });
  assert.deepEqual(totals('gen_ai_server_time_per_output_token_seconds'), {
    [`sum{${named}}`]: 0.1,
    [`count{${named}}`]: 1,
  });
  assert.deepEqual(totals('gen_ai_client_token_usage'), {
    [`sum{${named},gen_ai_token_type="input"}`]: 100,
    [`count{${named},gen_ai_token_type="input"}`]: 1,
    [`sum{${named},gen_ai_token_type="output"}`]: 21,
    [`count{${named},gen_ai_token_type="output"}`]: 1,
  });
  assert.deepEqual(samplesOf(counts, 'sluice_revenue_usd_total'), { 'sluice_revenue_usd_total{model="tide"}': 1.5 });
});

test('what was written off, what of it a caller bounded, and what the gateway counted itself begin at 0', () => {
  const counts = new GatewayCounts(['tide']);
  const read = () => [
    samplesOf(counts, 'sluice_written_off_usd_total')['sluice_written_off_usd_total{model="tide"}'],
    samplesOf(counts, 'sluice_above_bounds_usd_total')['sluice_above_bounds_usd_total{model="tide"}'],
    samplesOf(counts, 'sluice_estimated_usage_total')['sluice_estimated_usage_total{model="tide"}'],
  ];
  assert.deepEqual(read(), [0, 0, 0]);
  const tokens = { uncached: 1, cached: 0, output: 1 };
  const charge = { tokens, charged: 0n, writtenOff: 750_000_000n, aboveBound: 500_000_000n, estimated: true };
  counts.ended({ ...settled, charge });
  assert.deepEqual(read(), [0.25, 0.5, 1]);
});

test('accounts that were named have series of their own, from 0 on, and no others do', () => {
  const counts = new GatewayCounts(['tide'], ['acme', 'quiet']);
  for (const account of ['acme', 'acme', 'nobody']) counts.ended({ ...settled, account });
  counts.ended({ ...settled, status: 'expired', error: 'order_expired', charge: null });
  const orders = samplesOf(counts, 'sluice_account_orders_total');
  assert.equal(Object.keys(orders).length, 8);
  assert.equal(orders['sluice_account_orders_total{account="acme",status="done"}'], 2);
  assert.equal(orders['sluice_account_orders_total{account="acme",status="expired"}'], 1);
  assert.equal(orders['sluice_account_orders_total{account="quiet",status="done"}'], 0);
  assert.deepEqual(samplesOf(counts, 'sluice_account_revenue_usd_total'), {
    'sluice_account_revenue_usd_total{account="acme"}': 3,
    'sluice_account_revenue_usd_total{account="quiet"}': 0,
  });
  assert.deepEqual(samplesOf(counts, 'sluice_account_tokens_total'), {
    'sluice_account_tokens_total{account="acme",gen_ai_token_type="input"}': 200,
    'sluice_account_tokens_total{account="acme",gen_ai_token_type="output"}': 42,
    'sluice_account_tokens_total{account="quiet",gen_ai_token_type="input"}': 0,
    'sluice_account_tokens_total{account="quiet",gen_ai_token_type="output"}': 0,
  });
  assert.deepEqual(samplesOf(new GatewayCounts(['tide']), 'sluice_account_orders_total'), {});
});

test('an order that nobody waited for has no duration of a request, and an error names its type', () => {
  const counts = new GatewayCounts(['tide']);
  const expired = { status: 'expired', error: 'order_expired', charge: null, queueMs: null, pipelineMs: null } as const;
  counts.ended({ ...settled, ...expired, attended: false, firstTokenMs: null });
  assert.deepEqual(totalsOf(counts, 'gen_ai_server_request_duration_seconds'), {});
  counts.ended({ ...settled, ...expired, kind: 'completion', firstTokenMs: null });
  const named = 'gen_ai_operation_name="text_completion",gen_ai_request_model="tide",error_type="order_expired"';
  assert.deepEqual(totalsOf(counts, 'gen_ai_server_request_duration_seconds'), {
    [`sum{${named}}`]: 3,
    [`count{${named}}`]: 1,
  });
  assert.deepEqual(totalsOf(counts, 'sluice_order_queue_seconds'), {
    'sum{model="tide"}': 0,
    'count{model="tide"}': 0,
  });
  const ends = samplesOf(counts, 'sluice_orders_total');
  assert.equal(ends['sluice_orders_total{model="tide",kind="chat",status="expired"}'], 1);
  assert.equal(ends['sluice_orders_total{model="tide",kind="completion",status="expired"}'], 1);
  assert.equal(ends['sluice_orders_total{model="tide",kind="completion",status="done"}'], 0);
});

test('an attempt that was not answered says why', () => {
  const counts = new GatewayCounts(['tide']);
  for (const outcome of ['complete', 'failed', 'no-slot', 'refused', 'aborted'] as const)
    counts.attempted('tide', outcome, 1);
  const series = Object.keys(totalsOf(counts, 'gen_ai_client_operation_duration_seconds')).filter((key) =>
    key.startsWith('count'),
  );
  const named = 'gen_ai_operation_name="chat",gen_ai_request_model="tide"';
  const errors = ['', ',error_type="failed"', ',error_type="full"', ',error_type="refused"', ',error_type="aborted"'];
  assert.deepEqual(
    series,
    errors.map((error) => `count{${named}${error}}`),
  );
});

test('each code of the catalogue of errors begins at 0', () => {
  const counts = new GatewayCounts([]);
  counts.refused('unknown_model');
  counts.refused('unknown_model');
  assert.deepEqual(counts.refusals(), [{ code: 'unknown_model', requests: 2 }]);
  const refusals = samplesOf(counts, 'sluice_refusals_total');
  assert.equal(refusals['sluice_refusals_total{code="unknown_model"}'], 2);
  assert.equal(refusals['sluice_refusals_total{code="queue_full"}'], 0);
});

test('a model that the configuration gains later is counted, and all counters and histograms are listed here', () => {
  const counts = new GatewayCounts([], ['acme']);
  counts.ended({ ...settled, model: 'new' });
  assert.deepEqual(samplesOf(counts, 'sluice_revenue_usd_total'), { 'sluice_revenue_usd_total{model="new"}': 1.5 });
  counts.attempted('new', 'complete', 1);
  const read = Object.keys(metricCatalogue).filter((name) => [...counts.lines(name as MetricName)].length === 0);
  // Counted by the pods and the traces themselves.
  const gauges = Object.entries(metricCatalogue).flatMap(([name, { type }]) => (type === 'gauge' ? [name] : []));
  assert.deepEqual(
    new Set(read),
    new Set([...gauges, 'sluice_pod_attempts_total', 'sluice_spans_total', 'sluice_webhook_attempts_total']),
  );
});
