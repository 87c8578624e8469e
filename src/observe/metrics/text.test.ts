import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricCatalogue } from './catalogue.ts';
import { Histogram, labelText, metricsText, sampleLine } from './series.ts';

test('a label may hold quotes, backslashes and line breaks', () => {
  const labels = labelText({ model: 'a"} 1\nsluice_fake{x="\\', pod: 'p' });
  assert.equal(labels, 'model="a\\"} 1\\nsluice_fake{x=\\"\\\\",pod="p"');
  assert.equal(sampleLine('m', labels, 2).split('\n').length, 2);
});

test('a label without a value is left out, and so are the braces without labels', () => {
  assert.equal(sampleLine('m', labelText({ error_type: null }), 0.5), 'm 0.5\n');
  assert.equal(sampleLine('m', labelText({ a: 'x', error_type: null }), 1e21), 'm{a="x"} 1e+21\n');
});

test('buckets of a histogram are cumulative, and a value on a bound is in the bucket below it', () => {
  const histogram = new Histogram('m', 'a="b"', [1, 2]);
  for (const value of [0, 1, 1.5, 2, 7]) histogram.observe(value);
  assert.deepEqual(histogram.text().trimEnd().split('\n'), [
    'm_bucket{a="b",le="1"} 2',
    'm_bucket{a="b",le="2"} 4',
    'm_bucket{a="b",le="+Inf"} 5',
    'm_sum{a="b"} 11.5',
    'm_count{a="b"} 5',
  ]);
});

test('a histogram without labels has the bound alone between its braces', () => {
  assert.match(
    new Histogram('m', '', [1]).text(),
    /^m_bucket\{le="1"\} 0\nm_bucket\{le="\+Inf"\} 0\nm_sum 0\nm_count 0\n$/,
  );
});

test('a metric is headed by its help and its type', async () => {
  const text = await metricsText((name) => (name === 'sluice_journal_queue' ? ['sluice_journal_queue 0\n'] : []));
  const { help } = metricCatalogue.sluice_journal_queue;
  const lines = `# HELP sluice_journal_queue ${help}\n# TYPE sluice_journal_queue gauge\nsluice_journal_queue 0\n# HELP`;
  assert.ok(text.includes(lines));
});

test('other work runs while a large text is made, and no line is torn by it', async () => {
  const lines = Array.from({ length: 10_000 }, (_, pod) =>
    sampleLine('sluice_pod_up', labelText({ model: 'tide', pod: `${pod}` }), 1),
  );
  let turns = 0;
  let done = false;
  const work = () => {
    turns++;
    if (!done) setImmediate(work);
  };
  work();
  const text = await metricsText((name) => (name === 'sluice_pod_up' ? lines : []));
  done = true;
  assert.ok(turns > 10, `${turns} turns of the event loop`);
  assert.deepEqual(
    text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
    lines.map((line) => line.trimEnd()),
  );
});
