import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Metric, metricCatalogue } from './catalogue.ts';

const metrics: [string, Metric][] = Object.entries(metricCatalogue);

test('docs/sell/monitoring.md names every metric with its labels', () => {
  const page = readFileSync(new URL('../../../docs/sell/monitoring.md', import.meta.url), 'utf8');
  const names = metrics.map(([name, { labels }]) => (labels.length > 0 ? `${name}{${labels.join(',')}}` : name));
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});

test('names show the type by their ends, as docs/sell/monitoring.md says', () => {
  for (const [name, { type }] of metrics) {
    assert.match(name, /^(?:gen_ai|sluice)_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.equal(/(?<!_timestamp)_seconds$|_usage$/.test(name), type === 'histogram', name);
  }
});

/** Names that dashboards and alerts of others may rely on, with their labels. */
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  gen_ai_client_operation_duration_seconds: ['gen_ai_operation_name', 'gen_ai_request_model', 'error_type'],
  gen_ai_server_request_duration_seconds: ['gen_ai_operation_name', 'gen_ai_request_model', 'error_type'],
  gen_ai_server_time_to_first_token_seconds: ['gen_ai_operation_name', 'gen_ai_request_model'],
  gen_ai_server_time_per_output_token_seconds: ['gen_ai_operation_name', 'gen_ai_request_model'],
  gen_ai_client_token_usage: ['gen_ai_operation_name', 'gen_ai_request_model', 'gen_ai_token_type'],
  sluice_market_level_usd: ['model'],
  sluice_market_quote_usd: ['model'],
  sluice_market_clear_ratio: ['model'],
  sluice_market_degraded: ['model'],
  sluice_orders_total: ['model', 'kind', 'status'],
  sluice_orders_queued: ['model'],
  sluice_orders_executing: ['model'],
  sluice_order_queue_seconds: ['model'],
  sluice_order_pipeline_seconds: ['model'],
  sluice_pod_slots: ['model', 'pod'],
  sluice_pod_slots_busy: ['model', 'pod'],
  sluice_pod_up: ['model', 'pod'],
  sluice_pod_attempts_total: ['model', 'pod', 'outcome'],
  sluice_refusals_total: ['code'],
  sluice_revenue_usd_total: ['model'],
  sluice_written_off_usd_total: ['model'],
  sluice_above_bounds_usd_total: ['model'],
  sluice_estimated_usage_total: ['model'],
  sluice_balances_usd: [],
  sluice_holds_usd: [],
  sluice_journal_commit_seconds: [],
  sluice_journal_queue: [],
  sluice_journal_stalled: [],
  sluice_audit_last_success_timestamp_seconds: [],
  sluice_audit_findings: [],
  sluice_webhook_attempts_total: ['outcome'],
  sluice_webhook_endpoints_disabled: [],
  sluice_queued_bytes: [],
  sluice_disk_free_bytes: [],
};

test('every promised name has its labels', () => {
  const labels = Object.fromEntries(metrics.map(([name, metric]) => [name, [...metric.labels]]));
  for (const [name, promised] of Object.entries(PROMISED)) assert.deepEqual(labels[name], promised, name);
});

test('those of generative AI have the buckets of the convention', () => {
  const { client_operation, server_request, first_token, per_token, tokens } = {
    client_operation: metricCatalogue.gen_ai_client_operation_duration_seconds.buckets,
    server_request: metricCatalogue.gen_ai_server_request_duration_seconds.buckets,
    first_token: metricCatalogue.gen_ai_server_time_to_first_token_seconds.buckets,
    per_token: metricCatalogue.gen_ai_server_time_per_output_token_seconds.buckets,
    tokens: metricCatalogue.gen_ai_client_token_usage.buckets,
  };
  // https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
  const durations = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
  assert.deepEqual([client_operation, server_request], [durations, durations]);
  assert.deepEqual(first_token, [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]);
  assert.deepEqual(per_token, [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]);
  assert.deepEqual(
    tokens,
    Array.from({ length: 14 }, (_, power) => 4 ** power),
  );
});

test('no label names a key or an order, and an account only where accounts were named', () => {
  const ofAccounts = metrics.filter(([, { labels }]) => labels.includes('account')).map(([name]) => name);
  for (const name of ofAccounts) assert.match(name, /^sluice_account_/);
  const labels = new Set(metrics.flatMap(([, metric]) => metric.labels).filter((label) => label !== 'account'));
  assert.deepEqual([...labels].sort(), [
    'code',
    'error_type',
    'gen_ai_operation_name',
    'gen_ai_request_model',
    'gen_ai_token_type',
    'kind',
    'model',
    'outcome',
    'pod',
    'status',
  ]);
});

test('buckets ascend', () => {
  for (const metric of Object.values(metricCatalogue)) {
    if (!('buckets' in metric)) continue;
    assert.deepEqual(
      metric.buckets,
      [...metric.buckets].sort((a, b) => a - b),
    );
  }
});
