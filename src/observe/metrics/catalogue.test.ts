import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Metric, metricCatalogue } from './catalogue.ts';

const metrics: [string, Metric][] = Object.entries(metricCatalogue);

/** The table of docs/operating.md: a row for each metric. */
function table(): string {
  const rows = metrics.map(([name, { type, help, labels }]) => {
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return ['| metric | type | labels | what |', '|---|---|---|---|', ...rows].join('\n');
}

test('docs/operating.md has the table of all metrics', () => {
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
  assert.ok(page.includes(`\n${table()}\n`), `Put this table there:\n${table()}`);
});

test('names end as the conventions of Prometheus want it', () => {
  for (const [name, { type }] of metrics) {
    assert.match(name, /^(?:gen_ai|sluice)_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
});

test('no label names an account, a key or an order', () => {
  const labels = new Set(metrics.flatMap(([, metric]) => metric.labels));
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
