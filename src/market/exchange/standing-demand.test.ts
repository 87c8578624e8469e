/** With constant demand the level settles at the clearing price: the first bid beyond the slots. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS } from '#base/time.ts';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { ExchangeEvent, Rest } from '../ports.ts';
import { Exchange } from './exchange.ts';

const listing = marketListing({ floor: 1e8, ceiling: 50e9 });

function rest(order: number, bid: number): Rest {
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  return { type: 'rest', model: listing.id, order: `${order}`, account: `account ${order % 7}`, bid, ...first };
}

test('the level reaches the clearing price from any start, for any bids and slots', () => {
  const books = fc.record({
    bids: fc.array(fc.integer({ min: 0, max: 60_000_000_000 }), { maxLength: 40 }),
    slots: fc.integer({ min: 1, max: 20 }),
    start: fc.integer({ min: 100_000_000, max: 50_000_000_000 }),
  });
  fc.assert(
    fc.property(books, ({ bids, slots, start }) => {
      const before = { model: listing.id, level: start, levelSeq: 1, atMs: 0 };
      let level = start;
      const emit = (event: ExchangeEvent) => {
        if (event.type === 'level') level = event.level;
      };
      const options = { listings: [listing], levelTimeConstantMs: 5000, ...someQuotes(), recovered: [before], emit };
      const exchange = new Exchange({ ...options, nowMs: 0 });
      exchange.handle({ type: 'capacity', model: listing.id, pod: 'pod', slots, healthy: true }, 0);
      for (const [order, bid] of bids.entries()) exchange.handle(rest(order, bid), 0);
      // No orders end or arrive. The pace of the first starts decays, and the level settles.
      for (let nowMs = 1000; nowMs <= 15 * MINUTE_MS; nowMs += 1000) exchange.tick(nowMs);
      const marginal = bids.toSorted((a, b) => b - a)[slots] ?? 0;
      const clearing = Math.min(listing.ceiling, Math.max(listing.floor, marginal));
      assert.ok(Math.abs(level - clearing) <= 1 + clearing * 1e-6, `${level} for a clearing price of ${clearing}`);
    }),
    { numRuns: 60, seed: 1 },
  );
});
