import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import type { MarketView } from '#market/ports.ts';
import type { StatisticsWindow } from '#observe/ports.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketSummaryHandlers } from './market-summary.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12, 7);

interface Row {
  readonly model: string;
  readonly level: number | null;
  readonly change_24h_pct: number | null;
  readonly sparkline: (number | null)[] | null;
  readonly quote: object | null;
  readonly uptime_pct: number | null;
  readonly total_tokens: number;
  readonly degraded: boolean;
  readonly preview: boolean;
  readonly deprecated: boolean;
}

const market: MarketView = {
  current: (model) =>
    model === 'rock-8b'
      ? null
      : {
          ...{ model, level: 420_000_000, levelSeq: 1, mode: 'clearing', updatedAtMs: 0 },
          ...{ degraded: model === 'gone-3b', preview: model === 'soon-1b' },
        },
  quote: (model) =>
    model === 'rock-8b'
      ? null
      : {
          ...{ model, quoteSeq: 1, price: 500_000_000, previousPrice: null, validUntilMs: NOW_MS + 3_000 },
          ...{ preview: false, clearRate: null, scarceClearRate: null, attainable: null },
        },
};

/** The handler over these levels, each from its time on, and the questions to the stores. */
function board(levels: readonly (readonly [atMs: number, level: number])[] = []) {
  const asked: { models: readonly string[]; window: StatisticsWindow }[] = [];
  const clock = new ManualClock(NOW_MS);
  const tokens = { uncached: 20, cached: 100, output: 7 };
  const times = { done: 3, msMax: 0, queueMs: 0, queueMsMax: 0, pipelineMs: 0, pipelineMsMax: 0 };
  const handlers = marketSummaryHandlers({
    listings: someListings(),
    market,
    charts: {
      async chart() {
        const chart = new LevelChart();
        for (const [atMs, level] of levels) chart.move(level, atMs);
        chart.count(clock.nowMs());
        return chart;
      },
    },
    depths: { depth: async (model) => (model === 'tide-70b' ? { atMs: 0, slots: 8, held: 7, steps: [] } : null) },
    ready: { answered: (model) => model !== 'rock-8b', degraded: (model) => model === 'rock-8b' },
    tokens: {
      async sums(models, window) {
        asked.push({ models, window });
        return models.map((model) => ({ model, tokens, requests: 2, earned: 1n }));
      },
    },
    probes: {
      async sums(models, window) {
        asked.push({ models, window });
        return ['tide-70b', 'rock-8b'].map((model) => ({ model, total: 4, failures: 1, ...times }));
      },
    },
    clock,
  });
  const get = async () => {
    const reply = await handlers.getMarketSummary(testCall('getMarketSummary', {}));
    assert.ok('raw' in reply);
    const body = JSON.parse(String(reply.raw)) as { from: number; to: number; models: Row[] };
    return conforming('getMarketSummary 200', body);
  };
  const row = async (model: string) => {
    const found = (await get()).models.find((one) => one.model === model);
    assert.ok(found);
    return found;
  };
  return { get, row, asked, clock };
}

test('every model has a row in the configured order, with its badges', async () => {
  const { models } = await board().get();
  assert.deepEqual(
    models.map(({ model, degraded, preview, deprecated }) => [model, degraded, preview, deprecated]),
    [
      ['tide-70b', false, false, false],
      ['rock-8b', true, false, false],
      ['soon-1b', false, true, false],
      ['gone-3b', true, false, true],
    ],
  );
});

test('a market has its level, quote and prices, a fixed-price model its prices alone', async () => {
  const { row } = board();
  assert.partialDeepStrictEqual(await row('tide-70b'), {
    level: 0.42,
    quote: { price: 0.5, valid_until: '2026-01-02T12:07:03.000Z' },
  });
  assert.partialDeepStrictEqual(await row('rock-8b'), {
    ...{ level: null, quote: null, sparkline: null, change_24h_pct: null },
    usd_per_million: { cached: 0.1, uncached: 1.25, output: 4 },
  });
});

test('a market has its slots and how many are taken, where they are known', async () => {
  const { row } = board();
  assert.partialDeepStrictEqual(await row('tide-70b'), { slots: 8, busy_slots: 7 });
  for (const model of ['rock-8b', 'soon-1b', 'gone-3b'])
    assert.partialDeepStrictEqual(await row(model), { slots: null, busy_slots: null });
});

test('48 buckets of half an hour, null where no gateway was up', async () => {
  const { get, row } = board([[NOW_MS - 30 * MINUTE_MS, 1e9]]);
  const { from, to } = await get();
  assert.deepEqual([to - from, to % 1800, to * 1000 > NOW_MS], [86_400, 0, true]);
  const { sparkline } = await row('tide-70b');
  assert.deepEqual(sparkline, [...Array.from({ length: 46 }, () => null), 1, 1]);
});

test('the change is that of the level against the one of 24 hours ago, null where that is unknown or was 0', async () => {
  const level = async (atMs: number, nano: number) => (await board([[atMs, nano]]).row('tide-70b')).change_24h_pct;
  assert.equal(await level(NOW_MS - DAY_MS - HOUR_MS / 2, 400_000_000), 5);
  assert.equal(await level(NOW_MS - DAY_MS - HOUR_MS / 2, 0), null);
  assert.equal(await level(NOW_MS - DAY_MS + MINUTE_MS, 400_000_000), null);
});

test('uptime is null for a model that never answered or was not probed, and a preview has no tokens', async () => {
  const { row } = board();
  assert.deepEqual([(await row('tide-70b')).uptime_pct, (await row('tide-70b')).total_tokens], [75, 127]);
  assert.equal((await row('rock-8b')).uptime_pct, null);
  assert.equal((await row('gone-3b')).uptime_pct, null);
  assert.equal((await row('soon-1b')).total_tokens, 0);
});

test('500 viewers cost two queries of one day in five seconds', async () => {
  const { get, asked, clock } = board();
  await Promise.all(Array.from({ length: 500 }, get));
  assert.deepEqual(
    asked.map(({ models, window }) => [models.length, window.toMs - window.fromMs]),
    [
      [4, DAY_MS],
      [4, DAY_MS],
    ],
  );
  await clock.advance(5_000);
  await get();
  assert.equal(asked.length, 4);
});
