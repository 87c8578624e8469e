import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeBench, usd } from '#testing/exchange-bench.ts';
import { marketListing } from '#testing/listings.ts';

test('an order runs at once when a slot is free, and its admission is the only answer', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  const [admit, ...rest] = bench.rest('ann', 3);
  assert.deepEqual(admit, {
    type: 'admit',
    model: 'tide-70b',
    seq: 4,
    order: 'ann',
    attempt: 1,
    restedSeq: 1,
    pod: 'pod-1',
    level: 0,
    levelSeq: 2,
  });
  assert.deepEqual(rest, []);
});

test('an order that must wait gets its rested seq', () => {
  const bench = new ExchangeBench();
  assert.deepEqual(bench.rest('ann', 3), [{ type: 'rested', model: 'tide-70b', seq: 3, order: 'ann', restedSeq: 1 }]);
  assert.deepEqual(bench.positions('ann', 'nobody'), [1, null]);
});

test('the best order takes each free slot, by price and then by arrival', () => {
  const bench = new ExchangeBench();
  for (const [order, price] of [
    ['ann', 3],
    ['ben', 5],
    ['cid', 3],
    ['dan', 9],
  ] as const)
    bench.rest(order, price);
  assert.deepEqual(bench.positions('ann', 'ben', 'cid', 'dan'), [3, 2, 4, 1]);
  bench.slots(2);
  assert.equal(bench.running, 'dan ben');
  assert.deepEqual(bench.positions('ann', 'ben', 'cid', 'dan'), [1, null, 2, null]);
  bench.release('ben');
  bench.release('dan');
  assert.equal(bench.running, 'dan ben ann cid');
});

test('the best order runs even though the published level is above its bid', () => {
  const bench = new ExchangeBench(marketListing({ floor: usd(7) }));
  bench.slots(1);
  const [admit] = bench.rest('ann', 3);
  assert.equal(admit?.type === 'admit' && admit.level, usd(7));
});

test('an order with a bid of 0 runs when a slot is free', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 0);
  assert.equal(bench.running, 'ann');
});

test('a repriced order joins behind those already at its new price', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 5);
  const [repriced] = bench.reprice('ann', 5);
  assert.deepEqual(repriced, { type: 'repriced', model: 'tide-70b', seq: 5, order: 'ann', bid: usd(5), restedSeq: 3 });
  bench.slots(1);
  assert.equal(bench.running, 'ben');
});

test('a reprice to the same price loses the place in time', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.reprice('ann', 3);
  assert.deepEqual(bench.positions('ann', 'ben'), [2, 1]);
});

test('a reprice of an executing or unknown order is answered by not-resting', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  for (const order of ['ann', 'nobody']) {
    assert.deepEqual(
      bench.reprice(order, 5).map((event) => event.type),
      ['not-resting'],
    );
  }
});

test('a requeued order keeps its place in time', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.rest('cid', 3);
  bench.release('ann');
  bench.rest('ann', 3, { restedSeq: 1, attempt: 2 });
  assert.deepEqual(bench.positions('ann', 'cid'), [1, 2]);
  bench.release('ben');
  assert.deepEqual(
    bench.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['ben', 1, 2],
      ['ann', 2, 1],
    ],
  );
});

test('a new order comes behind every place seen, including one from before a restart', () => {
  const bench = new ExchangeBench();
  bench.rest('old', 3, { restedSeq: 41 });
  const [rested] = bench.rest('new', 3);
  assert.equal(rested?.type === 'rested' && rested.restedSeq, 42);
});

test('a withdrawn order leaves the book without an answer', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  assert.deepEqual(bench.withdraw('ann'), []);
  assert.deepEqual(bench.positions('ann', 'ben'), [null, 1]);
});

test('withdrawing an unknown or executing order changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  assert.deepEqual([...bench.withdraw('ann'), ...bench.withdraw('nobody')], []);
  bench.rest('ben', 3);
  assert.equal(bench.running, 'ann');
  bench.release('ann');
  assert.equal(bench.running, 'ann ben');
});

test('resting an order twice has no further effect', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3);
  assert.deepEqual(bench.rest('ann', 9), []);
  bench.slots(2);
  assert.equal(bench.running, 'ann');
});

test('a release by another attempt, another pod or another order changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.slots(0, 'pod-2');
  bench.rest('ann', 3);
  bench.rest('ben', 3);
  bench.release('ann', { attempt: 2 });
  bench.release('ann', { pod: 'pod-2' });
  bench.release('ben');
  bench.release('nobody', { reason: 'refused' });
  assert.equal(bench.running, 'ann');
});

test('a second release of one slot changes nothing', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 3);
  bench.release('ann');
  bench.release('ann');
  bench.rest('ben', 3);
  bench.rest('cid', 3);
  assert.equal(bench.running, 'ann ben');
});

test('a refused order is gone and the next order gets its slot', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 9);
  bench.rest('ben', 3);
  bench.release('ann', { reason: 'refused' });
  assert.equal(bench.running, 'ann ben');
  assert.deepEqual(
    bench.rest('ann', 2).map((event) => event.type),
    ['rested'],
  );
});

test('capacity below the executing orders stops none of them and starts no others', () => {
  const bench = new ExchangeBench();
  bench.slots(3);
  for (const order of ['ann', 'ben', 'cid', 'dan']) bench.rest(order, 3);
  bench.slots(1);
  bench.release('ann');
  bench.release('ben');
  assert.equal(bench.running, 'ann ben cid');
  bench.release('cid');
  assert.equal(bench.running, 'ann ben cid dan');
});

for (const [reason, change] of [
  ['an unhealthy pod', (bench: ExchangeBench) => bench.slots(2, 'pod-1', false)],
  ['a pod without slots', (bench: ExchangeBench) => bench.slots(0)],
] as const) {
  test(`${reason} gets nothing, and the market is degraded with its level frozen`, () => {
    const bench = new ExchangeBench(marketListing(), [{ model: 'tide-70b', level: usd(2), levelSeq: 1, atMs: 5 }]);
    bench.slots(1);
    for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 3);
    bench.pass(10);
    const level = bench.levels.at(-1)?.level ?? 0;
    assert.ok(level > 0);
    change(bench);
    bench.release('ann');
    assert.equal(bench.running, 'ann');
    assert.equal(bench.levels.at(-1)?.degraded, true);
    const count = bench.levels.length;
    bench.pass(60);
    assert.equal(bench.levels.length, count);
    bench.slots(1);
    assert.equal(bench.running, 'ann ben');
    assert.deepEqual(
      { ...bench.levels.at(-1), seq: 0, levelSeq: 0, atMs: 0 },
      {
        type: 'level',
        model: 'tide-70b',
        seq: 0,
        level,
        levelSeq: 0,
        degraded: false,
        atMs: 0,
      },
    );
  });
}

test('orders go to the pod with the smallest share of its slots held', () => {
  const bench = new ExchangeBench();
  bench.slots(1, 'small');
  bench.slots(4, 'large');
  for (const order of ['ann', 'ben', 'cid', 'dan', 'eve']) bench.rest(order, 3);
  assert.deepEqual(
    bench.admits.map((event) => event.pod),
    ['small', 'large', 'large', 'large', 'large'],
  );
});

test('an order avoids the pod that failed it while another has room', () => {
  const bench = new ExchangeBench();
  bench.slots(2, 'bad');
  bench.slots(1, 'good');
  bench.rest('ann', 3, { avoidPod: 'bad' });
  bench.rest('ben', 3, { avoidPod: 'bad' });
  assert.deepEqual(
    bench.admits.map((event) => event.pod),
    ['good', 'bad'],
  );
});

test('an order that left for lack of money returns to its old place', () => {
  const bench = new ExchangeBench();
  bench.rest('ann', 3, { account: 'poor' });
  bench.rest('ben', 3, { account: 'rich' });
  bench.withdraw('ann', { waitsForMoney: true });
  assert.deepEqual(bench.positions('ann', 'ben'), [null, 1]);
  bench.rest('ann', 3, { account: 'poor', restedSeq: 1, waitedForMoney: true });
  assert.deepEqual(bench.positions('ann', 'ben'), [1, 2]);
});

test('those that leave before a refused admission gives its slot back do not get it', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  bench.rest('ann', 9, { account: 'poor' });
  bench.rest('ben', 8, { account: 'poor' });
  bench.rest('cid', 3, { account: 'rich' });
  bench.withdraw('ben', { waitsForMoney: true });
  bench.release('ann', { reason: 'refused' });
  assert.equal(bench.running, 'ann cid');
  bench.rest('ann', 9, { account: 'poor', restedSeq: 1, waitedForMoney: true });
  bench.release('cid');
  assert.deepEqual(
    bench.admits.map((event) => [event.order, event.attempt, event.restedSeq]),
    [
      ['ann', 1, 1],
      ['cid', 1, 3],
      ['ann', 1, 1],
    ],
  );
});

test('an account at its share of the slots is passed over while another account waits', () => {
  const bench = new ExchangeBench(marketListing({ accountShareMax: 0.5 }));
  for (const order of ['w1', 'w2', 'w3', 'w4']) bench.rest(order, 9, { account: 'whale' });
  bench.rest('ann', 1);
  bench.slots(4);
  assert.equal(bench.running, 'w1 w2 ann w3');
});
