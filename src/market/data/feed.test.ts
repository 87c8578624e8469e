import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import type { MarketSnapshot, QuoteSnapshot } from '../ports.ts';
import { type FrameStream, MarketFeed } from './feed.ts';

/** Two markets whose prices the test sets, and a feed that renders them as short words and counts the renderings. */
class FeedBench {
  readonly clock = new ManualClock();
  readonly prices: Record<string, number> = { ebb: 1, flow: 2 };
  written = 0;
  readonly feed: MarketFeed;

  constructor() {
    const word = (name: string, { model, ...more }: { model: string; level?: number; price?: number }) =>
      `${name} ${model} ${more.level ?? more.price}`;
    const count = (text: string) => {
      this.written++;
      return text;
    };
    this.feed = new MarketFeed({
      clock: this.clock,
      models: ['ebb', 'flow'],
      market: {
        current: (model) => ({ model, level: this.prices[model] }) as MarketSnapshot,
        quote: (model) => ({ model, price: this.prices[model] }) as QuoteSnapshot,
      },
      write: {
        level: (snapshot) => count(word('level', snapshot)),
        levels: (snapshots) => count(snapshots.map((snapshot) => word('level', snapshot)).join(', ')),
        quote: (snapshot) => count(word('quote', snapshot)),
        board: (markets) => count(markets.map(({ snapshot }) => word('board', snapshot)).join(', ')),
      },
    });
  }

  move(model: string, price: number): void {
    this.prices[model] = price;
    this.feed.levelMoved(model);
  }
}

function follow(channel: FrameStream): { received: string[]; leave: () => void } {
  const received: string[] = [];
  const leave = channel.follow({ frame: (text) => void received.push(text), ended: () => void received.push('ended') });
  return { received, leave };
}

test('a listener gets the current state and then every change of its market', () => {
  const bench = new FeedBench();
  const { received } = follow(bench.feed.level('ebb'));
  bench.move('ebb', 3);
  bench.move('flow', 9);
  bench.move('ebb', 4);
  assert.deepEqual(received, ['level ebb 1', 'level ebb 3', 'level ebb 4']);
});

// Spec 6.1-3
test('the stream of all levels sends every market first and as a keepalive, and else only changes', async () => {
  const bench = new FeedBench();
  const { received, leave } = follow(bench.feed.levels);
  bench.move('flow', 9);
  await bench.clock.advance(15_000);
  assert.deepEqual(received, ['level ebb 1, level flow 2', 'level flow 9', 'level ebb 1, level flow 9']);
  leave();
});

test('quotes are sent when they are latched', () => {
  const bench = new FeedBench();
  const { received } = follow(bench.feed.quote('flow'));
  bench.prices.flow = 7;
  bench.feed.quoteLatched('flow');
  bench.feed.quoteLatched('ebb');
  assert.deepEqual(received, ['quote flow 2', 'quote flow 7']);
});

test('the stream of all levels sends every market each fifteen seconds, also while one of them moves', async () => {
  const bench = new FeedBench();
  const { received } = follow(bench.feed.levels);
  for (let second = 1; second <= 16; second++) {
    await bench.clock.advance(1000);
    bench.move('ebb', second);
  }
  assert.deepEqual(
    received.filter((text) => text.includes('flow')),
    ['level ebb 1, level flow 2', 'level ebb 14, level flow 2'],
  );
});

test('the board has what moved within two seconds in one frame, and each market again in time', async () => {
  const bench = new FeedBench();
  const { received, leave } = follow(bench.feed.board);
  bench.move('flow', 3);
  await bench.clock.advance(1000);
  bench.move('flow', 4);
  bench.move('ebb', 2);
  await bench.clock.advance(999);
  assert.deepEqual(received, ['board ebb 1, board flow 2']);
  await bench.clock.advance(1);
  assert.deepEqual(received.slice(1), ['board ebb 2, board flow 4']);
  bench.move('flow', 5);
  await bench.clock.advance(2000);
  assert.deepEqual(received.slice(2), ['board flow 5']);
  await bench.clock.advance(11_000);
  assert.deepEqual(received.slice(3), ['board ebb 2, board flow 5']);
  bench.move('flow', 6);
  bench.feed.quoteLatched('ebb');
  leave();
  assert.equal(bench.clock.pending, 0);
});

test('the board waits longer for other changes beside more listeners, and ten seconds at most', async () => {
  for (const [listeners, waitMs] of [
    [250, 2_000],
    [500, 4_000],
    [2_000, 10_000],
  ] as const) {
    const bench = new FeedBench();
    const followers = Array.from({ length: listeners }, () => follow(bench.feed.board));
    bench.move('flow', 3);
    await bench.clock.advance(waitMs - 1);
    assert.equal(followers[0]?.received.length, 1);
    await bench.clock.advance(1);
    assert.deepEqual(followers[0]?.received.slice(1), ['board flow 3']);
    bench.feed.quoteLatched('ebb');
    await bench.clock.advance(50);
    // The next round begins with other listeners, and each slice takes a turn.
    for (let turns = 0; turns < listeners / 100; turns++) await new Promise(setImmediate);
    assert.deepEqual(followers[0]?.received.slice(2), ['board ebb 1']);
    bench.move('flow', 4);
    for (const { leave } of followers) leave();
    assert.equal(bench.clock.pending, 0);
  }
});

test('the board has a market that was added while it runs', async () => {
  const bench = new FeedBench();
  const { received, leave } = follow(bench.feed.board);
  bench.feed.add('surf');
  bench.move('surf', 7);
  await bench.clock.advance(2000);
  assert.deepEqual(received.slice(1), ['board surf 7']);
  await bench.clock.advance(13_000);
  assert.deepEqual(received.slice(2), ['board ebb 1, board flow 2, board surf 7']);
  leave();
});

test('the board has new quotes at once, those of all markets in one frame', async () => {
  const bench = new FeedBench();
  const { received, leave } = follow(bench.feed.board);
  bench.move('flow', 3);
  await bench.clock.advance(500);
  bench.feed.quoteLatched('ebb');
  bench.feed.quoteLatched('flow');
  await bench.clock.advance(50);
  assert.deepEqual(received.slice(1), ['board ebb 1, board flow 3']);
  await bench.clock.advance(2000);
  assert.equal(received.length, 2);
  leave();
});

test('after every fifteen seconds without a change the snapshot is sent again', async () => {
  const bench = new FeedBench();
  const { received, leave } = follow(bench.feed.level('ebb'));
  await bench.clock.advance(14_000);
  bench.move('ebb', 2);
  await bench.clock.advance(14_999);
  assert.deepEqual(received, ['level ebb 1', 'level ebb 2']);
  await bench.clock.advance(15_001);
  assert.deepEqual(received.slice(2), ['level ebb 2', 'level ebb 2']);
  leave();
});

test('a frame is rendered once for thousands of listeners, and not at all for none', async () => {
  const bench = new FeedBench();
  const listeners = Array.from({ length: 5000 }, () => follow(bench.feed.level('ebb')));
  bench.move('ebb', 5);
  // Listeners are served in slices, one slice per turn of the event loop.
  for (let turns = 0; turns < 5000 / 128; turns++) await new Promise(setImmediate);
  // One snapshot, one change; the stream of all levels has no listener.
  assert.equal(bench.written, 2);
  assert.ok(listeners.every(({ received }) => received.join() === 'level ebb 1,level ebb 5'));
  for (const { leave } of listeners) leave();
  bench.move('ebb', 6);
  assert.equal(bench.written, 2);
});

test('when the last listener leaves no timer is left, and a later listener starts afresh', async () => {
  const bench = new FeedBench();
  const first = follow(bench.feed.levels);
  follow(bench.feed.level('ebb')).leave();
  first.leave();
  assert.equal(bench.clock.pending, 0);
  bench.move('ebb', 8);
  assert.deepEqual(follow(bench.feed.level('ebb')).received, ['level ebb 8']);
});

test('closing in the middle of a round sends nothing after the end', async () => {
  const bench = new FeedBench();
  const listeners = Array.from({ length: 300 }, () => follow(bench.feed.level('ebb')));
  bench.move('ebb', 5);
  bench.feed.close();
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  assert.ok(listeners.every(({ received }) => received.indexOf('ended') === received.length - 1));
});

test('closing ends every stream, and a later listener ends at once', () => {
  const bench = new FeedBench();
  const early = follow(bench.feed.levels);
  bench.feed.close();
  bench.move('ebb', 3);
  assert.deepEqual(early.received, ['level ebb 1, level flow 2', 'ended']);
  assert.deepEqual(follow(bench.feed.quote('ebb')).received.at(-1), 'ended');
  assert.equal(bench.clock.pending, 0);
});
