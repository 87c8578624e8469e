import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { MarketOdds } from '#market/estimates/odds.ts';
import type { MarketDepth } from '#market/exchange/depth.ts';
import type { CallHandler } from '../peers/calls.ts';
import { viewsAnywhere } from './far-views.ts';

const depth: MarketDepth = { atMs: 1, slots: 2, held: 1, steps: [{ price: 1, orders: 3 }] };
const odds: MarketOdds = {
  ...{ atMs: 1, slots: 2, free: 1, reserve: 0, runMs: null, burstiness: 1 },
  ...{ corrections: [], reliability: [] },
  points: [{ price: 0, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 }],
};

/** A gateway that has the books of `own`, and for all others knows this owner. */
function gateway(own: readonly string[], owner: number | null, answer = async (): Promise<unknown> => depth) {
  const asked: unknown[] = [];
  const handlers = new Map<string, CallHandler>();
  const source = viewsAnywhere(
    {
      here: (model) =>
        own.includes(model)
          ? { depth: async () => depth, odds: async () => odds, book: async () => null, situation: async () => null }
          : null,
      ownerOf: () => owner,
    },
    {
      handle: (name, handler) => void handlers.set(name, handler),
      call: async (...call) => {
        asked.push(call);
        return answer();
      },
    },
  );
  return { source, asked, handler: handlers.get('market.depth') };
}

test('an own market is not asked about, another one of its owner, who has a second to answer', async () => {
  const { source, asked } = gateway(['tide'], 7);
  assert.deepEqual(await source.depth('tide'), depth);
  assert.deepEqual(asked, []);
  assert.deepEqual(await source.depth('reef'), depth);
  assert.deepEqual(asked, [[7, 'market.depth', { model: 'reef' }, 1000]]);
});

test('nothing is known of a market without an owner, or whose owner cannot be reached', async () => {
  assert.equal(await gateway([], null).source.depth('tide'), null);
  const unreached = gateway([], 7, () => Promise.reject(new Fault('unavailable', { retryAfterS: 1 })));
  assert.equal(await unreached.source.depth('tide'), null);
});

test('others are answered about own markets only', async () => {
  const { handler } = gateway(['tide'], null);
  assert.deepEqual(await handler?.({ model: 'tide' }, 2), depth);
  assert.equal(await handler?.({ model: 'reef' }, 2), null);
});

test('the odds of a market come from its owner as well', async () => {
  const { source, asked } = gateway(['tide'], 7, async () => odds);
  assert.deepEqual(await source.odds('tide'), odds);
  assert.deepEqual(await source.odds('reef'), odds);
  assert.deepEqual(asked, [[7, 'market.odds', { model: 'reef' }, 1000]]);
});
