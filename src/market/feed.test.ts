import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { type Channel, MarketFeed } from './feed.ts';
import type { MarketSnapshot, QuoteSnapshot } from './ports.ts';

/** Two markets whose prices the test moves, and a feed that writes them as short words and counts the writing. */
class Fed {
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
      },
    });
  }

  move(model: string, price: number): void {
    this.prices[model] = price;
    this.feed.levelMoved(model);
  }
}

function follow(channel: Channel): { told: string[]; leave: () => void } {
  const told: string[] = [];
  const leave = channel.follow({ frame: (text) => void told.push(text), ended: () => void told.push('ended') });
  return { told, leave };
}

test('a listener is told what is, and then every change of its market', () => {
  const fed = new Fed();
  const { told } = follow(fed.feed.level('ebb'));
  fed.move('ebb', 3);
  fed.move('flow', 9);
  fed.move('ebb', 4);
  assert.deepEqual(told, ['level ebb 1', 'level ebb 3', 'level ebb 4']);
});

test('all levels open with every market, then tell only the one that moved; the keepalive is every market again', async () => {
  const fed = new Fed();
  const { told, leave } = follow(fed.feed.levels);
  fed.move('flow', 9);
  await fed.clock.advance(15_000);
  assert.deepEqual(told, ['level ebb 1, level flow 2', 'level flow 9', 'level ebb 1, level flow 9']);
  leave();
});

test('quotes are told when they are latched', () => {
  const fed = new Fed();
  const { told } = follow(fed.feed.quote('flow'));
  fed.prices.flow = 7;
  fed.feed.quoteLatched('flow');
  fed.feed.quoteLatched('ebb');
  assert.deepEqual(told, ['quote flow 2', 'quote flow 7']);
});

test('after fifteen seconds without a change the whole is told again, and again', async () => {
  const fed = new Fed();
  const { told, leave } = follow(fed.feed.level('ebb'));
  await fed.clock.advance(14_000);
  fed.move('ebb', 2);
  await fed.clock.advance(14_999);
  assert.deepEqual(told, ['level ebb 1', 'level ebb 2']);
  await fed.clock.advance(15_001);
  assert.deepEqual(told.slice(2), ['level ebb 2', 'level ebb 2']);
  leave();
});

test('a frame is written once for thousands of listeners, and not at all for none', async () => {
  const fed = new Fed();
  const listeners = Array.from({ length: 5000 }, () => follow(fed.feed.level('ebb')));
  fed.move('ebb', 5);
  // They are told in slices, a slice a turn.
  for (let turns = 0; turns < 5000 / 128; turns++) await new Promise(setImmediate);
  // One whole, one change; the stream of all levels has no listener.
  assert.equal(fed.written, 2);
  assert.ok(listeners.every(({ told }) => told.join() === 'level ebb 1,level ebb 5'));
  for (const { leave } of listeners) leave();
  fed.move('ebb', 6);
  assert.equal(fed.written, 2);
});

test('when the last listener leaves no timer is left, and a later one starts afresh', async () => {
  const fed = new Fed();
  const first = follow(fed.feed.levels);
  follow(fed.feed.level('ebb')).leave();
  first.leave();
  assert.equal(fed.clock.pending, 0);
  fed.move('ebb', 8);
  assert.deepEqual(follow(fed.feed.level('ebb')).told, ['level ebb 8']);
});

test('closing in the middle of a round tells nobody anything after the end', async () => {
  const fed = new Fed();
  const listeners = Array.from({ length: 300 }, () => follow(fed.feed.level('ebb')));
  fed.move('ebb', 5);
  fed.feed.close();
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  assert.ok(listeners.every(({ told }) => told.indexOf('ended') === told.length - 1));
});

test('closing ends every stream, and one that is followed later ends at once', () => {
  const fed = new Fed();
  const early = follow(fed.feed.levels);
  fed.feed.close();
  fed.move('ebb', 3);
  assert.deepEqual(early.told, ['level ebb 1, level flow 2', 'ended']);
  assert.deepEqual(follow(fed.feed.quote('ebb')).told.at(-1), 'ended');
  assert.equal(fed.clock.pending, 0);
});
