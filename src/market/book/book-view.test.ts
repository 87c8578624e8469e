import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedListing, marketListing, someQuotes } from '#testing/listings.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { Listing } from '../listing.ts';

const usd = (price: number) => price * 1e9;

/** An exchange with one slot, and its model's orders. */
function opened(listing: Listing) {
  const { id: model } = listing;
  const settings = { levelTimeConstantMs: 20_000, recovered: [], nowMs: 0, emit: () => {} };
  const exchange = new Exchange({ listings: [listing], ...settings, ...someQuotes() });
  exchange.handle({ type: 'capacity', model, pod: 'pod-1', slots: 1, healthy: true }, 0);
  const rest = (order: string, price: number, account = order) => {
    const fresh = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    exchange.handle({ type: 'rest', model, order, account, bid: usd(price), ...fresh }, 0);
  };
  return { exchange, rest, book: () => exchange.find(model)?.book };
}

test('the book lists what waits and runs, with the best bids first', () => {
  const { rest, book } = opened(marketListing());
  for (const [order, price] of [
    ['a', 9],
    ['b', 2],
    ['c', 3],
    ['d', 2],
  ] as const)
    rest(order, price);
  assert.deepEqual(book(), {
    ...{ waiting: 3, executing: 1, slots: 1, deeper: 0, turns: [] },
    bids: [
      { price: usd(3), orders: 1 },
      { price: usd(2), orders: 2 },
    ],
  });
});

test('only the first thousand orders are read, whatever waits', () => {
  const { rest, book } = opened(marketListing());
  for (let order = 0; order <= 1_500; order++) rest(`order-${order}`, 2);
  assert.deepEqual(book()?.bids, [{ price: usd(2), orders: 1_000 }]);
  assert.deepEqual([book()?.waiting, book()?.deeper], [1_500, 500]);
});

test('a fixed-price listing has turns and no bids; what is no market has no book', () => {
  const { exchange, rest, book } = opened(fixedListing());
  for (const [order, account] of ['aa', 'ba', 'ca', 'dc', 'eb'].map((name) => [...name])) rest(order ?? '', 1, account);
  assert.deepEqual(book(), {
    ...{ waiting: 4, executing: 1, slots: 1, bids: [], deeper: 0 },
    turns: [
      { account: 'c', waiting: 1, executing: 0 },
      { account: 'b', waiting: 1, executing: 0 },
      { account: 'a', waiting: 2, executing: 1 },
    ],
  });
  assert.equal(exchange.find('nothing')?.book ?? null, null);
});
