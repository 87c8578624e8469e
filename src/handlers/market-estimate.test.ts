import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MarketOdds } from '#market/estimates/odds.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketEstimateHandlers } from './market-estimate.ts';

const USD = 1e9;
const TAKEN_MS = Date.UTC(2026, 0, 2, 12);
const busy: MarketOdds = {
  ...{ atMs: TAKEN_MS, slots: 8, free: 0, reserve: 0, runMs: 8_000, burstiness: 1 },
  ...{ corrections: [], reliability: [] },
  points: [
    { price: 0, ahead: 50, outbid: 1, outbidUsually: 1, givingUp: 0 },
    { price: 0.25 * USD, ahead: 3, outbid: 0.2, outbidUsually: 0.2, givingUp: 0 },
    { price: 0.5 * USD, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 },
  ],
};
const market = { degraded: false, mode: 'clearing', updatedAtMs: 0, levelSeq: 1, preview: false } as const;
const promise = { clearRate: null, scarceClearRate: null, attainable: null } as const;

/** An answer of a market whose level is 0.3 and whose quote 0.4 dollars. */
async function estimate(query: Record<string, string>, odds: MarketOdds | null = busy) {
  const { getMarketEstimate } = marketEstimateHandlers({
    listings: someListings(),
    market: {
      current: (model) => ({ ...market, model, level: 0.3 * USD }),
      quote: (model) => ({
        ...{ model, quoteSeq: 1, price: 0.4 * USD, previousPrice: null, validUntilMs: 0, preview: false },
        ...promise,
      }),
    },
    quotes: { executeWindowMs: 10_000 },
    odds: { odds: async () => odds },
    clock: new ManualClock(TAKEN_MS),
  });
  const reply = await getMarketEstimate(testCall('getMarketEstimate', { query }));
  assert.ok('json' in reply);
  return conforming('getMarketEstimate 200', JSON.parse(JSON.stringify(reply.json)) as object);
}

test('a bid above the level is expected to pay the level, and at most itself', async () => {
  const found = await estimate({ price_limit: '0.6', input_tokens: '1000', output_tokens: '100' });
  assert.partialDeepStrictEqual(found, {
    ...{ model: 'tide-70b', taken_at: '2026-01-02T12:00:00.000Z', level: 0.3, bid: 0.6 },
    ...{ requests: 1, within_seconds: 60, chance: 1 },
  });
  const { expected_charge_usd: expected, greatest_charge_usd: greatest } = found as Record<string, number>;
  assert.ok(expected && Math.abs((greatest ?? 0) / expected - 2) < 0.001, `${expected} to ${greatest}`);
});

test('a bid below the level pays itself', async () => {
  const found = (await estimate({ price_limit: '0.26', input_tokens: '1000' })) as Record<string, unknown>;
  assert.equal(found.expected_charge_usd, found.greatest_charge_usd);
});

test('without tokens there are no charges, and those of many requests are their sum', async () => {
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.6' }), {
    expected_charge_usd: null,
    greatest_charge_usd: null,
  });
  const [one, ten] = await Promise.all(
    ['1', '10'].map((requests) => estimate({ price_limit: '0.6', output_tokens: '100', requests })),
  );
  assert.equal(
    (ten as { greatest_charge_usd: number }).greatest_charge_usd,
    10 * (one as { greatest_charge_usd: number }).greatest_charge_usd,
  );
});

test('a lock bids the quote or its limit, and is asked about for its window', async () => {
  assert.partialDeepStrictEqual(await estimate({ price_lock: 'true' }), { bid: 0.4, within_seconds: 10 });
  assert.partialDeepStrictEqual(await estimate({ price_lock: 'true', price_limit: '0.35' }), { bid: 0.35 });
  assert.partialDeepStrictEqual(await estimate({ price_lock: 'true', within_s: '7' }), { within_seconds: 7 });
});

test('requests are raised to a grid, and none of it is below what was asked', async () => {
  for (const [requests, raised] of [
    ['1', 1],
    ['2', 2],
    ['3', 4],
    ['9', 10],
    ['11', 13],
    ['100', 100],
    ['101', 125],
  ] as const) {
    assert.partialDeepStrictEqual(await estimate({ price_limit: '1', requests }), { requests: raised });
  }
});

test('without a price or a chance it is the lowest bid for nine in ten', async () => {
  assert.deepEqual(await estimate({ price_lock: 'false' }), await estimate({ chance: '0.9' }));
});

test('a chance finds the lowest bid that has it, or none', async () => {
  assert.partialDeepStrictEqual(await estimate({ chance: '0.9', within_s: '30' }), { bid: 0.25 });
  assert.partialDeepStrictEqual(await estimate({ chance: '0.9', requests: '5000' }), {
    ...{ bid: null, chance: null, wait_p50_seconds: null, wait_p90_seconds: null, greatest_charge_usd: null },
  });
});

test('chances are in twentieths and waits in steps, so that a book cannot be counted by them', async () => {
  for (let within = 1; within < 30; within++) {
    const found = await estimate({ price_limit: '0.3', within_s: `${within}` });
    const { chance, wait_p50_seconds: half, wait_p90_seconds: most } = found as Record<string, number>;
    assert.equal(Math.round((chance ?? -1) * 20) / 20, chance);
    assert.deepEqual([half, most], [5, 10]);
  }
});

test('reliability is published in hundredths and whole orders, by horizon', async () => {
  const tenths = [{ said: 0.15126, came: 0.50871, orders: 120.4 }];
  const reliability = [
    { withinS: 10, orders: 1000.6, brier: 0.04096, tenths },
    { withinS: 60, orders: 29.4, brier: null, tenths: [] },
  ];
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.3' }, { ...busy, reliability }), {
    reliability: [
      { within_seconds: 10, orders: 1001, brier: 0.041, tenths: [{ said: 0.15, came: 0.51, orders: 120 }] },
      { within_seconds: 60, orders: 29, brier: null, tenths: [] },
    ],
  });
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.3' }, null), { reliability: [] });
});

test('chances are corrected by the outcomes of earlier ones', async () => {
  const lowered = [[0, -1.1]] as const;
  const [kept, corrected] = await Promise.all(
    [[], [lowered, lowered, lowered]].map((corrections) =>
      estimate({ price_limit: '0.3', within_s: '3' }, { ...busy, corrections }),
    ),
  );
  const [before, after] = [kept, corrected].map((answer) => (answer as { chance: number }).chance);
  assert.ok(before && after && after < before, `${before}, ${after}`);
});

test('what is not known is null', async () => {
  const unknown = { chance: null, wait_p50_seconds: null, wait_p90_seconds: null };
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.3' }, null), { taken_at: null, bid: 0.3, ...unknown });
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.3' }, { ...busy, runMs: null }), unknown);
  assert.partialDeepStrictEqual(await estimate({ price_limit: '0.3', model: 'soon-1b' }), {
    ...unknown,
    preview: true,
  });
});

test('what makes no sense is refused by name', async () => {
  const refused: [Record<string, string>, string][] = [
    [{ chance: '0.9', price_limit: '1' }, 'chance'],
    [{ chance: '0.9', price_lock: 'true' }, 'chance'],
    [{ chance: '1' }, 'chance'],
    [{ price_limit: '-1' }, 'price_limit'],
    [{ price_limit: '1e3' }, 'price_limit'],
    [{ price_limit: '1000000001' }, 'price_limit'],
    [{ price_limit: '1', within_s: '0' }, 'within_s'],
    [{ price_limit: '1', within_s: '1.5' }, 'within_s'],
    [{ price_limit: '1', requests: '100001' }, 'requests'],
    [{ price_limit: '1', output_tokens: '10000001' }, 'output_tokens'],
  ];
  for (const [query, param] of refused) await assert.rejects(estimate(query), { code: 'invalid_request', param });
});
