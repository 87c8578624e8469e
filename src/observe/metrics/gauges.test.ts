import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketView } from '#market/ports.ts';
import { fixedListing, marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type MetricName, metricCatalogue } from './catalogue.ts';
import { GatewayCounts } from './gateway-counts.ts';
import { type GaugeParts, gaugeReader } from './gauges.ts';
import { metricsReader } from './metrics.ts';

const tide = { model: 'tide-70b', levelSeq: 1, mode: 'clearing', updatedAtMs: 0 } as const;
const window = { quoteSeq: 1, previousPrice: null, validUntilMs: 0, scarceClearRate: null, attainable: true };

function partsOf(change: Partial<GaugeParts> = {}): GaugeParts {
  const board: MarketView = {
    current: (model) =>
      model === 'tide-70b' ? { ...tide, level: 1_250_000_000, degraded: true, preview: false } : null,
    quote: (model) => ({ ...window, model, price: 1_500_000_000, clearRate: 0.9, preview: false }),
  };
  const figures = { answers: 5, failures: 1, full: 2, refused: 3, aborted: 4 };
  return {
    listings: { all: [marketListing(), fixedListing()] },
    board,
    targetStartRate: 0.95,
    orderService: {
      countsByModel: () => new Map([['tide-70b', { queued: 7, executing: 2 }]]),
      waitingBytes: { waiting: 4096 },
    },
    pods: {
      states: () => [{ model: 'tide-70b', pod: 'p"1', healthy: true, slots: { allowed: 8, busy: 2 }, ...figures }],
    },
    webhookCounts: { delivered: 6, failed: 5 },
    journal: { pending: 3, stalled: true },
    disk: { freeBytes: 5e9 },
    diskReserveBytes: 1e9,
    traces: { counts: { sent: 9, failed: 8, dropped: 7 } },
    ...change,
  };
}

const money = { balances: 12_500_000_000n, holds: 250_000_000n };
const facts = { money, audit: { endedAtMs: 1_500, findings: 2 }, webhooksDisabled: 1 };

test('every gauge has the value that its part has now', () => {
  const read = gaugeReader(partsOf(), facts);
  const gauges = Object.entries(metricCatalogue).flatMap(([name, { type }]) => (type === 'gauge' ? [name] : []));
  const lines = [...gauges, 'sluice_pod_attempts_total', 'sluice_spans_total', 'sluice_webhook_attempts_total'].flatMap(
    (name) => [...read(name as MetricName)],
  );
  assert.deepEqual(lines.join('').trimEnd().split('\n'), [
    'sluice_market_level_usd{model="tide-70b"} 1.25',
    'sluice_market_quote_usd{model="tide-70b"} 1.5',
    'sluice_market_clear_ratio{model="tide-70b"} 0.9',
    'sluice_market_clear_ratio_target 0.95',
    'sluice_market_degraded{model="tide-70b"} 1',
    'sluice_orders_queued{model="tide-70b"} 7',
    'sluice_orders_queued{model="ebb-8b"} 0',
    'sluice_orders_executing{model="tide-70b"} 2',
    'sluice_orders_executing{model="ebb-8b"} 0',
    'sluice_pod_slots{model="tide-70b",pod="p\\"1"} 8',
    'sluice_pod_slots_busy{model="tide-70b",pod="p\\"1"} 2',
    'sluice_pod_up{model="tide-70b",pod="p\\"1"} 1',
    'sluice_balances_usd 12.5',
    'sluice_holds_usd 0.25',
    'sluice_journal_queue 3',
    'sluice_journal_stalled 1',
    'sluice_audit_last_success_timestamp_seconds 1.5',
    'sluice_audit_findings 2',
    'sluice_webhook_endpoints_disabled 1',
    'sluice_queued_bytes 4096',
    'sluice_disk_free_bytes 5000000000',
    'sluice_disk_reserve_bytes 1000000000',
    'sluice_pod_attempts_total{model="tide-70b",pod="p\\"1",outcome="answered"} 5',
    'sluice_pod_attempts_total{model="tide-70b",pod="p\\"1",outcome="failed"} 1',
    'sluice_pod_attempts_total{model="tide-70b",pod="p\\"1",outcome="full"} 2',
    'sluice_pod_attempts_total{model="tide-70b",pod="p\\"1",outcome="refused"} 3',
    'sluice_pod_attempts_total{model="tide-70b",pod="p\\"1",outcome="aborted"} 4',
    'sluice_spans_total{outcome="sent"} 9',
    'sluice_spans_total{outcome="failed"} 8',
    'sluice_spans_total{outcome="dropped"} 7',
    'sluice_webhook_attempts_total{outcome="delivered"} 6',
    'sluice_webhook_attempts_total{outcome="failed"} 5',
  ]);
});

test('what is not known is missing, and not 0', () => {
  const quote = () => null;
  const read = gaugeReader(partsOf({ board: { ...partsOf().board, quote }, disk: { freeBytes: null } }), null);
  const unknown = ['sluice_market_quote_usd', 'sluice_market_clear_ratio', 'sluice_balances_usd'] as const;
  for (const name of [...unknown, 'sluice_holds_usd', 'sluice_disk_free_bytes', 'sluice_audit_findings'] as const)
    assert.deepEqual([...read(name)], [], name);
});

test('before the first audit nothing is said of it', () => {
  const read = gaugeReader(partsOf(), { ...facts, audit: null });
  assert.deepEqual([...read('sluice_audit_last_success_timestamp_seconds'), ...read('sluice_audit_findings')], []);
});

test('a preview sells nothing, and is not measured', () => {
  const current = () => ({ ...tide, mode: 'preview' as const, level: 1, degraded: false, preview: true });
  const read = gaugeReader(partsOf({ board: { ...partsOf().board, current } }), null);
  assert.deepEqual([...read('sluice_market_level_usd'), ...read('sluice_market_quote_usd')], []);
});

test('the text has every metric once, under its help and type, and scrapes at the same time share it', async () => {
  let reads = 0;
  const readFacts = async () => {
    reads++;
    return facts;
  };
  const read = metricsReader({
    counts: new GatewayCounts(['tide-70b']),
    gauges: partsOf(),
    facts: readFacts,
    clock: new ManualClock(),
  });
  const [text, same] = await Promise.all([read(), read()]);
  assert.equal(text, same);
  assert.equal(reads, 1);
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const own = types.slice(0, Object.keys(metricCatalogue).length);
  assert.deepEqual(
    own,
    Object.entries(metricCatalogue).map(([name, { type }]) => `${name} ${type}`),
  );
  assert.equal(new Set(types).size, types.length);
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+\})? \S+|)$/);
});
