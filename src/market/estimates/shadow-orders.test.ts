import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HORIZONS_S } from './correction.ts';
import type { MarketOdds } from './odds.ts';
import { ShadowOrders } from './shadow-orders.ts';

const USD = 1e9;

/** A full market in which orders at any price start within some minutes. */
const full: MarketOdds = {
  ...{ atMs: 0, slots: 8, free: 0, reserve: 0, runMs: 8_000, burstiness: 1 },
  points: [{ price: 0, ahead: 20, outbid: 0.9, outbidUsually: 0.9, givingUp: 0 }],
  ...{ corrections: [], reliability: [] },
};

/** Shadow orders, with a clock that ticks once a second. */
function market(recovered?: ReturnType<ShadowOrders['state']>) {
  const shadows = new ShadowOrders(0, recovered);
  let nowMs = 0;
  const tried: number[] = [];
  let odds = full;
  const tick = (seconds = 1, ms = 1000) => {
    for (let second = 0; second < seconds; second++) {
      nowMs += ms;
      shadows.tick(nowMs, (price) => {
        tried.push(price);
        return odds;
      });
    }
  };
  /** Places one at one dollar, behind the real order 10. */
  const place = () => {
    shadows.arrives({ price: USD, seq: 10 });
    tick(5);
  };
  const setOdds = (changes: Partial<MarketOdds>) => {
    odds = { ...full, ...changes };
  };
  return { shadows, tick, tried, place, setOdds };
}

/** By horizon, how many outcomes were counted and how many of them started. */
function outcomes(shadows: ShadowOrders): readonly (readonly [number, number])[] {
  return shadows
    .state()
    .outcomes.map((bins) => [
      Math.round(bins.reduce((sum, [orders]) => sum + orders, 0)),
      Math.round(bins.reduce((sum, [, , started]) => sum + started, 0)),
    ]);
}

test('a shadow order starts when a slot goes to an order behind it, and counts at each horizon', () => {
  const { shadows, tick, place } = market();
  place();
  tick(20);
  assert.deepEqual(outcomes(shadows), [[1, 0], [0, 0], [0, 0]]); // biome-ignore format: a table
  shadows.starts(0.9 * USD, 5);
  tick(40);
  assert.deepEqual(outcomes(shadows), [[1, 0], [1, 1], [0, 0]]); // biome-ignore format: a table
  tick(240);
  assert.deepEqual(outcomes(shadows), [[1, 0], [1, 1], [1, 1]]); // biome-ignore format: a table
});

test('orders ahead of it do not start it: those that bid more, and those at its bid that came before', () => {
  const { shadows, tick, place } = market();
  place();
  shadows.starts(2 * USD, 99);
  shadows.starts(USD, 10);
  tick(300);
  assert.deepEqual(outcomes(shadows), [[1, 0], [1, 0], [1, 0]]); // biome-ignore format: a table
});

test('one at its bid that came later starts it, also between two ahead of it', () => {
  const { shadows, tick, place } = market();
  place();
  for (const [price, seq] of [[2 * USD, 50], [USD, 11], [2 * USD, 51]] as const) shadows.starts(price, seq); // biome-ignore format: a table
  tick(10);
  assert.deepEqual(outcomes(shadows)[0], [1, 1]);
});

test('what starts at once, never, or after a time that nobody knows teaches nothing', () => {
  for (const odds of [{ free: 30 }, { slots: 0 }, { reserve: 2 * USD }, { runMs: null }]) {
    const { shadows, tick, place, setOdds } = market();
    setOdds(odds);
    place();
    tick(300);
    assert.deepEqual(outcomes(shadows), [[0, 0], [0, 0], [0, 0]], JSON.stringify(odds)); // biome-ignore format: a table
  }
});

test('a time without ticks is not known, so the shadow orders that stood in it are forgotten', () => {
  for (const ms of [60_000, -60_000]) {
    const { shadows, tick, place } = market();
    place();
    tick(1, ms);
    tick(300);
    assert.deepEqual(outcomes(shadows), [[0, 0], [0, 0], [0, 0]]); // biome-ignore format: a table
  }
});

test('however many orders come, one is tried every five seconds, and each is as likely as the others', () => {
  const { shadows, tick, tried } = market();
  const rounds = 2000;
  for (let round = 0; round < rounds; round++) {
    for (let price = 1; price <= 10; price++) shadows.arrives({ price, seq: price });
    tick(5);
  }
  assert.equal(tried.length, rounds);
  for (let price = 1; price <= 10; price++) {
    const times = tried.filter((other) => other === price).length;
    assert.ok(times > 140 && times < 260, `the ${price}. of ten orders was tried ${times} times`);
  }
});

test('a crowd that is tried a thousand times at bids without a chance leaves the other chances as they were', () => {
  const { shadows, tick, setOdds } = market();
  const before = shadows.corrections;
  setOdds({ points: [{ price: 0, ahead: 5000, outbid: 9, outbidUsually: 9, givingUp: 0 }] });
  for (let round = 0; round < 1000; round++) {
    shadows.arrives({ price: 1, seq: round });
    tick(5);
  }
  for (const [at] of HORIZONS_S.entries()) {
    const [now, then] = [shadows.corrections[at], before[at]];
    assert.deepEqual(now?.slice(2), then?.slice(2));
  }
});

test('the same orders give the same state, and a restart continues from it', () => {
  const run = () => {
    const { shadows, tick } = market();
    for (let round = 0; round < 200; round++) {
      for (let order = 0; order < 3; order++) shadows.arrives({ price: (round % 7) + order, seq: round });
      if (round % 5 === 0) shadows.starts(round % 4, 1);
      tick(5);
    }
    return shadows;
  };
  const state = run().state();
  assert.deepEqual(run().state(), state);
  const { shadows } = market(JSON.parse(JSON.stringify(state)));
  assert.deepEqual(shadows.state(), state);
  assert.deepEqual(shadows.corrections, run().corrections);
  assert.deepEqual(shadows.reliability, run().reliability);
});

test('what was said is counted as corrected', () => {
  const { shadows, tick, place } = market();
  for (let round = 0; round < 300; round++) {
    place();
    shadows.starts(0, 1);
  }
  tick(300);
  const [within10] = shadows.reliability;
  assert.ok(within10 && within10.orders > 250);
  const last = within10.tenths.at(-1);
  assert.ok(last && last.said > 0.8 && last.came === 1, JSON.stringify(within10));
});
