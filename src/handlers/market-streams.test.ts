import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamReply } from '#contract/reply.ts';
import { MarketFeed } from '#market/data/feed.ts';
import type { MarketSnapshot, QuoteSnapshot } from '#market/ports.ts';
import { testCall } from '#testing/calls.ts';
import { conformingFrames } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketFrames, marketStreamHandlers } from './market.ts';

/** A caller that reads what it is sent, until `reads` is false. */
class Reader {
  text = '';
  reads = true;
  ended = false;

  write(text: string): boolean {
    this.text += text;
    return this.reads;
  }

  hold(): void {
    assert.fail('a level must not be held');
  }

  end(): void {
    this.ended = true;
  }

  /** The frames so far. */
  get frames(): Record<string, unknown>[] {
    return this.text
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.replace('data: ', '')));
  }
}

function openMarkets() {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const listings = someListings();
  const levels: Record<string, number> = { 'tide-70b': 420_000_000, 'soon-1b': 1e9, 'gone-3b': 2e9 };
  const previous: Record<string, number | null> = {};
  const feed = new MarketFeed({
    clock,
    models: Object.keys(levels),
    market: {
      current: (model): MarketSnapshot => {
        const preview = model === 'soon-1b';
        const still = { levelSeq: 1, degraded: false, updatedAtMs: clock.nowMs(), preview } as const;
        return { model, level: levels[model] ?? 0, mode: preview ? 'preview' : 'clearing', ...still };
      },
      quote: (model): QuoteSnapshot => {
        const price = levels[model] ?? 0;
        const validUntilMs = clock.nowMs() + 10_000;
        const figures = { clearRate: null, scarceClearRate: null, attainable: null };
        const window = { quoteSeq: 1, previousPrice: previous[model] ?? null, validUntilMs };
        return { model, price, ...window, ...figures, preview: model === 'soon-1b' };
      },
    },
    write: marketFrames(listings),
  });
  const handlers = marketStreamHandlers({ listings, feed });
  const move = (model: string, level: number) => {
    const before = levels[model] ?? null;
    previous[model] = before;
    levels[model] = level;
    feed.levelMoved(model);
  };
  const follow = async (
    operation: 'streamMarket' | 'streamLevels' | 'streamPriceLock',
    query: Record<string, string> = {},
  ) => {
    const call = testCall(operation, { query });
    const out = new Reader();
    ((await handlers[operation](call as never)) as StreamReply).open(out);
    return { out, call };
  };
  return { clock, feed, follow, move };
}

test('a level is sent at once and with every change, with prices of the three kinds of token', async () => {
  const { follow, move } = openMarkets();
  const { out } = await follow('streamMarket', { model: 'tide' });
  move('tide-70b', 900_000_000);
  conformingFrames('streamMarket', out.text);
  const updated_at = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(out.frames, [
    { level: 0.42, usd_per_million: { cached: 0.155555556, uncached: 1.555555556, output: 6.222222222 }, updated_at },
    { level: 0.9, usd_per_million: { cached: 0.333333333, uncached: 3.333333333, output: 13.333333333 }, updated_at },
  ]);
});

test('the stream of all levels opens with every market, previews marked, then has the one that moved', async () => {
  const { follow, move } = openMarkets();
  const { out } = await follow('streamLevels');
  move('gone-3b', 3e9);
  conformingFrames('streamLevels', out.text);
  const updated_at = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(out.frames, [
    {
      levels: [
        { model: 'tide-70b', level: 0.42, updated_at },
        { model: 'soon-1b', level: 1, updated_at, preview: true },
        { model: 'gone-3b', level: 2, updated_at },
      ],
    },
    { levels: [{ model: 'gone-3b', level: 3, updated_at }] },
  ]);
});

test('the board adds quotes, and whether a market is degraded', async () => {
  const { clock, follow, move } = openMarkets();
  const { out, call } = await follow('streamLevels', { view: 'board' });
  move('gone-3b', 3e9);
  await clock.advance(2000);
  call.hangUp();
  conformingFrames('streamLevels', out.text);
  const [first, second] = out.frames as { levels: object[] }[];
  assert.equal(first?.levels.length, 3);
  assert.partialDeepStrictEqual(first?.levels[1], { model: 'soon-1b', preview: true, quote: { previous_price: null } });
  assert.deepEqual(second?.levels, [
    {
      model: 'gone-3b',
      level: 3,
      updated_at: '2026-01-01T00:00:02.000Z',
      degraded: false,
      quote: { price: 3, previous_price: 2, valid_until: '2026-01-01T00:00:12.000Z' },
    },
  ]);
});

test('a quote has its window, that of a preview is marked', async () => {
  const { follow } = openMarkets();
  const { out } = await follow('streamPriceLock', { model: 'soon-1b' });
  conformingFrames('streamPriceLock', out.text);
  assert.partialDeepStrictEqual(out.frames[0], {
    price: 1,
    previous_price: null,
    valid_until: '2026-01-01T00:00:10.000Z',
    preview: true,
  });
});

test('a caller that does not read is sent nothing more, and a snapshot once it reads again', async () => {
  const { follow, move } = openMarkets();
  const { out } = await follow('streamLevels');
  out.reads = false;
  move('gone-3b', 3e9);
  const unread = out.text;
  for (let level = 1; level <= 1000; level++) move('tide-70b', level * 1e6);
  assert.equal(out.text, unread);
  out.reads = true;
  move('tide-70b', 5e8);
  const [, , whole] = out.frames as { levels: { model: string; level: number }[] }[];
  assert.deepEqual(
    whole?.levels.map(({ level }) => level),
    [0.5, 1, 3],
  );
});

test('a disconnect removes the listener, and other streams end when the gateway closes', async () => {
  const { clock, feed, follow } = openMarkets();
  const [gone, stays] = [await follow('streamMarket'), await follow('streamMarket')];
  gone.call.hangUp();
  feed.close();
  assert.deepEqual([gone.out.ended, stays.out.ended], [false, true]);
  assert.equal(clock.pending, 0);
});

test('an unknown model and a fixed-price model are refused before the stream opens', async () => {
  const { follow } = openMarkets();
  for (const operation of ['streamMarket', 'streamPriceLock'] as const) {
    await assert.rejects(follow(operation, { model: 'nobody' }), { code: 'unknown_model', status: 400 });
    await assert.rejects(follow(operation, { model: 'rock-8b' }), { code: 'fixed_price_model', status: 400 });
  }
});
