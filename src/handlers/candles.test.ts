import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PriceNano } from '#base/money.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS, MINUTE_MS } from '#base/time.ts';
import { meanOf } from '#market/data/level-candles.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import { bucketsOf } from '#testing/charts.ts';
import { CandleRenderer } from './candles.ts';
import { type CandleWidth, candleWidths, type HistoryRange, stretchOf } from './market-ranges.ts';

const START_MS = Date.UTC(2026, 0, 1, 7, 30);

const renderer = new CandleRenderer();

const usd = (price: PriceNano) => price / 1e9;

async function candles(chart: LevelChart, range: HistoryRange, { width = 60 as CandleWidth, nowMs = 0 }) {
  chart.count(nowMs);
  const { fromS, toS, bucketS } = stretchOf(range, width, nowMs);
  const head = { model: 'tide' };
  const { raw, release } = await renderer.render(head, chart, { fromS, toS, bucketS });
  const text = Buffer.from(raw).toString();
  release();
  const known = Array.from(bucketsOf(chart, fromS * 1000, toS * 1000, bucketS * 1000), ([atMs, span]) => ({
    t: atMs / 1000,
    open: usd(span.open),
    high: usd(span.high),
    low: usd(span.low),
    close: usd(span.close),
    mean: usd(meanOf(span)),
  }));
  const { candles: rendered, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, head);
  return { rendered, known };
}

/** Five days of levels of every size, with a gap of one day. */
function traded(): { chart: LevelChart; nowMs: number } {
  const chart = new LevelChart();
  const random = seededRandom(3);
  const price = () => Math.floor(10 ** (15 * random.next()));
  let nowMs = START_MS;
  for (; nowMs < START_MS + 2 * DAY_MS; nowMs += 50_000) chart.add(price(), nowMs, nowMs + 50_000);
  for (nowMs += DAY_MS; nowMs < START_MS + 5 * DAY_MS; nowMs += 50_000) chart.add(price(), nowMs, nowMs + 50_000);
  return { chart, nowMs };
}

test('the candles of every range and bucket width equal those of the chart', async () => {
  const { chart, nowMs } = traded();
  for (const range of ['1h', '24h', '7d', '30d'] as const) {
    for (const width of candleWidths) {
      const { rendered, known } = await candles(chart, range, { width, nowMs });
      assert.deepEqual(rendered, known, `${range} of ${width} s`);
    }
  }
});

test('a month by the minute of the longest numbers is complete', async () => {
  const chart = new LevelChart();
  const nowMs = START_MS + 31 * DAY_MS;
  for (let atMs = START_MS; atMs < nowMs; atMs += MINUTE_MS) chart.add(999_999_999_999_999, atMs, atMs + MINUTE_MS);
  const { rendered, known } = await candles(chart, '30d', { nowMs: nowMs - 1 });
  assert.equal(known.length, 30 * 1440);
  assert.deepEqual(rendered, known);
});

test('other work runs while a month by the minute is rendered', async () => {
  const { chart, nowMs } = traded();
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  await renderer.render({}, chart, stretchOf('30d', 60, nowMs));
  isDone = true;
  assert.ok(turns >= 5, `${turns} turns`);
});

test('the memory of a long chart is reused after its release, and not before', async () => {
  const { chart, nowMs } = traded();
  const own = new CandleRenderer();
  const render = async (width: CandleWidth) => {
    const { raw, release } = await own.render({ width }, chart, stretchOf('30d', width, nowMs));
    return { raw: raw as unknown as Uint8Array, release };
  };
  const [first, second] = [await render(60), await render(60)];
  assert.notEqual(first.raw.buffer, second.raw.buffer);
  const text = Buffer.from(second.raw).toString();
  first.release();
  const third = await render(300);
  assert.equal(third.raw.buffer, first.raw.buffer);
  assert.equal(Buffer.from(second.raw).toString(), text);
});

test('whole dollars, single nano-dollars and zero are written as JSON', async () => {
  const chart = new LevelChart();
  assert.deepEqual((await candles(chart, '1h', { nowMs: START_MS })).rendered, []);
  for (const [minute, price] of [0, 1, 999_999_999, 1e9, 1_000_000_001, 10e9, 123_456_789_000, 1e15].entries()) {
    chart.add(price, START_MS + minute * MINUTE_MS, START_MS + (minute + 1) * MINUTE_MS);
  }
  const { rendered, known } = await candles(chart, '1h', { nowMs: START_MS + 8 * MINUTE_MS });
  assert.deepEqual(rendered, known);
  assert.deepEqual(
    rendered.map(({ close }: { close: number }) => close),
    [0, 1e-9, 0.999999999, 1, 1.000000001, 10, 123.456789, 1e6],
  );
});
