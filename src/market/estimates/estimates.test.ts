import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { COMPUTED_MAX, Estimate, Estimates } from './estimates.ts';
import type { MarketOdds } from './odds.ts';
import { chanceWithin } from './start-chance.ts';

const USD = 1e9;
const ONE = { orders: 1, withinS: 60 };

/** A full market of 64 slots with runs of 20 seconds: nothing above two dollars, half of the flow from one dollar on. */
const busy: MarketOdds = {
  ...{ atMs: 0, slots: 64, free: 0, reserve: 0.1 * USD, runMs: 20_000, burstiness: 1 },
  ...{ corrections: [], reliability: [] },
  points: [
    { price: 0, ahead: 500, outbid: 5, outbidUsually: 5, givingUp: 0 },
    { price: 0.5 * USD, ahead: 200, outbid: 3, outbidUsually: 3, givingUp: 0 },
    { price: USD, ahead: 40, outbid: 2, outbidUsually: 2, givingUp: 0 },
    { price: 2 * USD, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 },
  ],
};
const chance = (odds: MarketOdds, bid: number, sent = ONE) => {
  const chances = new Estimate(odds).chances(bid, sent);
  return chances && chanceWithin(chances, sent.withinS);
};

test('a higher bid has a better chance, and the lowest bid for a chance is one that has it', () => {
  const chances = [0.2, 0.6, 1.2, 3].map((usd) => chance(busy, usd * USD) ?? -1);
  assert.deepEqual(
    chances,
    chances.toSorted((one, two) => one - two),
  );
  assert.ok((chances[0] ?? 1) < 0.01 && (chances[3] ?? 0) > 0.99, `${chances}`);
  assert.equal(new Estimate(busy).lowestBid(0.5, ONE), USD);
  assert.equal(new Estimate(busy).lowestBid(0.99, ONE), 2 * USD);
});

test('many orders need a higher bid than one, and more than can be served in time have none', () => {
  assert.equal(new Estimate(busy).lowestBid(0.9, { orders: 100, withinS: 60 }), 2 * USD);
  assert.equal(new Estimate(busy).lowestBid(0.9, { orders: 1000, withinS: 60 }), null);
  assert.equal(new Estimate(busy).lowestBid(0.9, { orders: 1000, withinS: 600 }), 2 * USD);
});

test('where slots are free everything above the reserve starts at once, whatever is known of runs', () => {
  const idle = {
    ...busy,
    free: 64,
    runMs: null,
    points: [
      { price: 0, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 },
      { price: 0.1 * USD, ahead: 0, outbid: 0, outbidUsually: 0, givingUp: 0 },
    ],
  };
  assert.equal(chance(idle, 0.1 * USD), 1);
  assert.equal(chance(idle, 0.09 * USD), 0);
  assert.equal(new Estimate(idle).lowestBid(0.9, ONE), 0.1 * USD);
  assert.equal(chance(idle, USD, { orders: 64, withinS: 1 }), 1);
  assert.equal(chance(idle, USD, { orders: 65, withinS: 1 }), null);
});

test('without healthy pods nothing starts', () => {
  assert.equal(chance({ ...busy, slots: 0 }, 3 * USD), 0);
  assert.equal(new Estimate({ ...busy, slots: 0 }).lowestBid(0.01, ONE), null);
});

test('a caller has as much computed in a second as it leaves the others; what is known already costs nothing', async () => {
  const clock = new ManualClock();
  const estimate = await new Estimates({ odds: async () => busy }, clock).of('tide');
  assert.ok(estimate);
  let orders = 0;
  const ask = (caller: string) => estimate.chances(USD, { orders: ++orders, withinS: 60, caller });
  for (let asked = 0; asked < COMPUTED_MAX / 2; asked++) ask('greedy');
  assert.throws(() => ask('greedy'), { code: 'rate_limit_error', retryAfterS: 1 });
  const question = { orders: 5000, withinS: 60, caller: 'greedy' };
  assert.throws(() => estimate.lowestBid(0.9, question), { code: 'rate_limit_error' });
  for (let asked = 0; asked < COMPUTED_MAX / 4; asked++) ask('other');
  assert.throws(() => ask('other'), { code: 'rate_limit_error' });
  estimate.chances(USD, { ...ONE, orders: 1, caller: 'greedy' });
  await clock.advance(1000);
  ask('greedy');
});

test('a market is read once a second however many ask, and again when the clock has gone back', async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const odds = async (model: string) => {
    asked.push(model);
    return busy;
  };
  const estimates = new Estimates({ odds }, clock);
  await Promise.all(Array.from({ length: 500 }, (_, at) => estimates.of(at % 2 ? 'tide' : 'reef')));
  assert.deepEqual(asked, ['reef', 'tide']);
  await clock.advance(999);
  await estimates.of('tide');
  assert.equal(asked.length, 2);
  await clock.advance(1);
  await estimates.of('tide');
  assert.equal(asked.length, 3);
});
