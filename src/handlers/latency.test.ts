import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { RunCounts } from '#observe/run-counts.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { latencyHandlers } from './statistics.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12, 7);

interface Shown {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The handler over so many orders, the first of which is the slowest, and the hours that were read. */
function handlers(orders: number) {
  const asked: { model: string; fromMs: number; toMs: number }[] = [];
  const clock = new ManualClock(NOW_MS);
  const counts = new RunCounts();
  for (let order = 0; order < orders; order++) {
    const times =
      order === 0 ? { firstTokenMs: 9_000, tokensPerSecond: 2 } : { firstTokenMs: 100, tokensPerSecond: 60 };
    counts.add({ waitMs: 50, bidOverLevel: 1.1, ...times });
  }
  const { getLatencyStatistics } = latencyHandlers({
    listings: someListings(),
    runs: async (model, hours, take) => {
      asked.push({ model, ...hours });
      take(counts.pack());
    },
    clock,
  });
  const get = async (query: Record<string, string> = {}) => {
    const reply = await getLatencyStatistics(testCall('getLatencyStatistics', { query }));
    assert.ok('raw' in reply);
    return conforming(
      'getLatencyStatistics 200',
      JSON.parse(String(reply.raw)) as {
        range: string;
        time_to_first_token_ms: Shown;
        tokens_per_second: Shown;
        wait_ms: Shown;
        wait_by_bid: (Shown & { above: number; up_to: number | null })[];
      },
    );
  };
  return { get, asked, clock };
}

const near = (value: number | null, exact: number) => value !== null && Math.abs(value / exact - 1) < 0.07;

test('the slowest order is in p99 of the times, and in p99 of the pace', async () => {
  const { time_to_first_token_ms: first, tokens_per_second: pace } = await handlers(80).get();
  assert.ok(near(first.p50, 100) && near(first.p95, 100) && near(first.p99, 9_000), JSON.stringify(first));
  assert.ok(near(pace.p50, 60) && near(pace.p95, 60) && near(pace.p99, 2), JSON.stringify(pace));
});

test('of nineteen orders only that there were some is shown, in tens', async () => {
  const { time_to_first_token_ms, wait_by_bid } = await handlers(19).get();
  const none = { count: 10, p50: null, p95: null, p99: null };
  assert.deepEqual(time_to_first_token_ms, none);
  assert.deepEqual(wait_by_bid[1], { above: 1, up_to: 1.25, ...none });
  assert.ok((await handlers(20).get()).time_to_first_token_ms.p50 !== null);
});

test('a fixed-price model has a wait and no bids', async () => {
  const { wait_ms, wait_by_bid } = await handlers(20).get({ model: 'rock' });
  assert.deepEqual([wait_ms.count, wait_by_bid], [20, []]);
});

test('whatever is asked, a model is read once a minute for each of three ranges, by whole hours', async () => {
  const { get, asked, clock } = handlers(1);
  for (let turn = 0; turn < 300; turn++) await get({ range: `${turn}d`, ...(turn % 2 ? { model: 'tide' } : {}) });
  assert.deepEqual(
    asked.map(({ model, fromMs, toMs }) => [model, (toMs - fromMs) / DAY_MS, toMs % HOUR_MS, toMs > NOW_MS]),
    [
      ['tide-70b', 1, 0, true],
      ['tide-70b', 7, 0, true],
      ['tide-70b', 30, 0, true],
    ],
  );
  for (let name = 0; name < 100; name++) await assert.rejects(get({ model: `m${name}` }), { code: 'unknown_model' });
  assert.equal(asked.length, 3);
  await clock.advance(60_000);
  await get();
  assert.equal(asked.length, 4);
});
