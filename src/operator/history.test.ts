import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { MemberCall } from '#contract/call.ts';
import { LevelChart } from '#market/data/level-chart.ts';
import { type LoadSpan, type PodLooks, STATISTICS_BUCKET_MS } from '#observe/ports.ts';
import { RunCounts } from '#observe/run-counts.ts';
import { jsonOf } from '#testing/calls.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type HistoryOptions, historyHandlers } from './history.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12, 0, 30);
/** The minute before the present one, which is bin 58 of the hour. */
const LAST_MS = Date.UTC(2026, 0, 2, 11, 59);

interface Past {
  readonly revenue_usd_per_minute: (number | null)[];
  readonly utilisation: (number | null)[];
  readonly queued: (number | null)[];
  readonly failed: (number | null)[];
  readonly first_token_ms: { readonly median: (number | null)[] };
  readonly levels: { readonly model: string }[];
  readonly marks: { readonly what: string }[];
}

type Span = Partial<LoadSpan> & Pick<LoadSpan, 'atMs'>;

function handlers(spans: readonly Span[], more: Partial<HistoryOptions> = {}) {
  const asked: { widthMs: number; fromMs: number }[] = [];
  const whole = spans.map(
    (span): LoadSpan => ({
      ...{ widthMs: MINUTE_MS, looks: 6, queued: 0, busySlots: 0, slots: 0, failed: 0, charged: 0n },
      ...{ firstTokens: new Uint8Array(), pods: {} },
      ...span,
    }),
  );
  const made = historyHandlers({
    listings: someListings(),
    load: {
      async figures(widthMs, fromMs) {
        asked.push({ widthMs, fromMs });
        return whole;
      },
      pods: async () => whole,
      starts: async () => [{ atMs: LAST_MS + 2, version: '1.1.0', isNewVersion: true }],
    },
    tokens: { buckets: async () => [], sums: async () => [] },
    charts: { chart: async () => new LevelChart() },
    changes: {
      since: async () =>
        [1, 3].map((ms) => ({
          ...{ id: `${ms}`, atMs: LAST_MS + ms, accountId: null, who: 'you', what: 'pod.drain', subject: 'gpu-1' },
          ...{ before: null, after: null },
        })),
    },
    pods: { states: () => [{ model: 'tide-70b', pod: 'gpu-1' }] },
    clock: new ManualClock(NOW_MS),
    ...more,
  });
  const call = (range: string) => ({ call: { query: { range } } }) as unknown as MemberCall<'getHistory'>;
  return {
    asked,
    history: async (range: string) => jsonOf(await made.getHistory(call(range))) as Past,
    states: async (range: string) =>
      (jsonOf(await made.getPodHistory(call(range))) as { data: { states: string }[] }).data[0]?.states ?? '',
  };
}

test('several gateways add up what waits and runs, and share the slots of their pods', async () => {
  const one = { atMs: LAST_MS, queued: 12, busySlots: 6, slots: 48, failed: 1, charged: 500n };
  const { history } = handlers([one, { ...one, queued: 6 }]);
  const { queued, utilisation, failed, revenue_usd_per_minute } = await history('1h');
  assert.deepEqual([queued[58], utilisation[58], failed[58]], [3, 0.25, 2]);
  assert.equal(revenue_usd_per_minute[58], 0.000001);
  assert.deepEqual([queued[57], queued[59], failed[57]], [null, null, null]);
});

test('a gateway that was restarted within a bin counts once', async () => {
  const before = { atMs: LAST_MS, looks: 2, queued: 8, busySlots: 4, slots: 16 };
  const { history } = handlers([before, { ...before, looks: 4, queued: 16, busySlots: 8, slots: 32 }]);
  const { queued, utilisation } = await history('1h');
  assert.deepEqual([queued[58], utilisation[58]], [4, 0.25]);
});

test('the week is made of quarters of an hour, and no more are read than it has', async () => {
  const { history, asked } = handlers([{ atMs: LAST_MS - (LAST_MS % STATISTICS_BUCKET_MS), queued: 6 }]);
  assert.equal((await history('7d')).queued[166], 1);
  assert.deepEqual(asked, [
    { widthMs: STATISTICS_BUCKET_MS, fromMs: NOW_MS - (NOW_MS % HOUR_MS) + HOUR_MS - 7 * 24 * HOUR_MS },
  ]);
});

test('the median of the first token is that of all spans of the bin', async () => {
  const times = (ms: number, count: number) => {
    const counts = new RunCounts();
    for (let order = 0; order < count; order++)
      counts.add({ waitMs: null, bidOverLevel: 1, firstTokenMs: ms, tokensPerSecond: null });
    return counts.pack();
  };
  const { history } = handlers([
    { atMs: LAST_MS, firstTokens: times(100, 9) },
    { atMs: LAST_MS, firstTokens: times(4_000, 2) },
  ]);
  const { median } = (await history('1h')).first_token_ms;
  assert.ok(Math.abs((median[58] ?? 0) - 100) < 8);
  assert.equal(median[57], null);
});

test('revenue by the quarter of an hour is net of refunds, and 0 where nothing was sold', async () => {
  const tokens = { uncached: 0, cached: 0, output: 0 };
  const at = (earned: bigint, atMs: number) => ({ model: 'tide-70b', tokens, requests: 1, earned, atMs });
  const quarterMs = LAST_MS - (LAST_MS % STATISTICS_BUCKET_MS);
  const store = { buckets: async () => [at(15_000n, quarterMs), at(15_000n, quarterMs)], sums: async () => [] };
  const { revenue_usd_per_minute: revenue } = await handlers([], { tokens: store }).history('24h');
  assert.deepEqual([revenue[94], revenue[93]], [0.000002, 0]);
});

test('changes and starts are in the order of time', async () => {
  const { marks } = await handlers([]).history('1h');
  assert.deepEqual(
    marks.map(({ what }) => what),
    ['pod.drain', 'gateway.deploy', 'pod.drain'],
  );
});

test('a pod is up, partly up, down or kept from orders, and nothing where no gateway looked', async () => {
  const looks: readonly (readonly [minutesAgo: number, PodLooks])[] = [
    ...([
      [4, [6, 0, 0]],
      [3, [2, 4, 0]],
      [2, [0, 6, 0]],
      [1, [3, 0, 3]],
    ] as const),
  ];
  const spans = looks.map(([ago, counts]) => ({ atMs: LAST_MS - (ago - 1) * MINUTE_MS, pods: { 'gpu-1': counts } }));
  assert.match(await handlers(spans).states('1h'), /^-{55}updo-$/);
});
