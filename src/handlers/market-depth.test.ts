import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketDepthHandlers } from './market-estimate.ts';

const TAKEN_MS = Date.UTC(2026, 0, 2, 12);

/** The handler, and the models whose depth it asked for. */
function handlers() {
  const asked: string[] = [];
  const clock = new ManualClock(TAKEN_MS + 12_000);
  const { getMarketDepth } = marketDepthHandlers({
    listings: someListings(),
    depths: {
      async depth(model) {
        asked.push(model);
        return { atMs: TAKEN_MS, slots: 8, held: 7, steps: [{ price: 400_000_000, orders: 5 }] };
      },
    },
    clock,
  });
  const get = async (model?: string) => {
    const reply = await getMarketDepth(testCall('getMarketDepth', { query: model === undefined ? {} : { model } }));
    assert.ok('raw' in reply);
    return conforming('getMarketDepth 200', JSON.parse(String(reply.raw)) as object);
  };
  return { get, asked, clock };
}

test('the depth is shown in dollars, with the time at which it was so', async () => {
  assert.deepEqual(await handlers().get(), {
    ...{ model: 'tide-70b', taken_at: '2026-01-02T12:00:00.000Z', slots: 8, busy_slots: 7, accounts_min: 3 },
    steps: [{ price: 0.4, orders: 5 }],
  });
});

test('500 readers, by id and by alias, make the market be asked once in five seconds', async () => {
  const { get, asked, clock } = handlers();
  await Promise.all(Array.from({ length: 500 }, (_, index) => get(index % 2 ? 'tide' : 'tide-70b')));
  assert.deepEqual(asked, ['tide-70b']);
  await clock.advance(5_000);
  await get();
  assert.equal(asked.length, 2);
});

test('nobody is asked about a model that is not served, has fixed prices, or is a preview', async () => {
  const { get, asked } = handlers();
  for (let name = 0; name < 100; name++) await assert.rejects(get(`nobody-${name}`), { code: 'unknown_model' });
  await assert.rejects(get('rock'), { code: 'fixed_price_model' });
  assert.partialDeepStrictEqual(await get('soon-1b'), { taken_at: null, steps: [], preview: true });
  assert.deepEqual(asked, []);
});
