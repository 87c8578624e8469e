import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeBench, START_MS, usd } from '#testing/exchange-bench.ts';
import { fixedListing, marketListing } from '#testing/listings.ts';

test('a market starts at its floor and publishes that first', () => {
  const bench = new ExchangeBench(marketListing({ floor: usd(2) }));
  assert.deepEqual(bench.events, [
    { type: 'level', model: 'tide-70b', seq: 1, level: usd(2), levelSeq: 1, degraded: true, atMs: START_MS },
  ]);
});

test('after a restart the level and its numbers continue', () => {
  const bench = new ExchangeBench(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 }]);
  bench.slots(1);
  assert.deepEqual(
    bench.levels.map(({ level, levelSeq, degraded }) => ({ level, levelSeq, degraded })),
    [
      { level: usd(4), levelSeq: 18, degraded: true },
      { level: usd(4), levelSeq: 19, degraded: false },
    ],
  );
});

test('a level from before a restart is limited to the current bounds', () => {
  const bench = new ExchangeBench(marketListing({ ceiling: usd(3) }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.equal(bench.levels[0]?.level, usd(3));
});

/** Orders that end after some seconds, one slot after the other, and are sent again by their accounts. */
function turns(bench: ExchangeBench, prices: readonly (readonly [account: string, price: number])[], seconds: number) {
  let orders = 0;
  const send = (account: string, price: number) => {
    bench.rest(`${account} ${price} ${orders++}`, price, { account });
  };
  for (const [account, price] of prices) send(account, price);
  const ended = new Set<string>();
  for (let second = 1; second <= seconds; second++) {
    bench.pass(1);
    if (second % 3 !== 0) continue;
    const running = bench.admits.find(({ order }) => !ended.has(order));
    if (!running) continue;
    ended.add(running.order);
    const [account = '', price] = running.order.split(' ');
    bench.release(running.order);
    send(account, Number(price));
  }
}

test('with constant demand the level is near the bid that has a slot only some of the time', () => {
  const bench = new ExchangeBench();
  bench.slots(2);
  turns(
    bench,
    [
      ['ann', 9],
      ['ben', 8],
      ['cid', 7],
      ['dan', 2],
      ['eve', 1],
    ],
    4000,
  );
  const late = bench.levels.slice(-100).map(({ level }) => level);
  assert.ok(Math.min(...late) > usd(2) && Math.max(...late) < usd(9), `${Math.min(...late)} to ${Math.max(...late)}`);
});

test('the level falls to 0 when there are fewer bids than slots', () => {
  const bench = new ExchangeBench(marketListing(), [{ model: 'tide-70b', level: usd(4), levelSeq: 1, atMs: 5 }]);
  bench.slots(4);
  bench.rest('ann', 9);
  bench.rest('ben', 9);
  bench.pass(3000);
  assert.ok((bench.levels.at(-1)?.level ?? 1e9) < 1e6, `${bench.levels.at(-1)?.level}`);
});

test('house orders and orders that wait for money do not move the level', () => {
  const levels = [false, true].map((beside) => {
    const bench = new ExchangeBench();
    bench.slots(2);
    for (const order of ['ann', 'ben']) bench.rest(`${order} 9`, 9, { account: order });
    bench.pass(10);
    if (beside) {
      bench.rest('probe', 50, { house: true });
      bench.rest('poor', 50, { account: 'poor' });
      bench.withdraw('poor', { waitsForMoney: true });
    }
    bench.pass(10);
    bench.withdraw('probe');
    turns(
      bench,
      [
        ['ann', 9],
        ['ben', 8],
        ['cid', 7],
      ],
      300,
    );
    return bench.levels.map(({ level }) => level);
  });
  assert.deepEqual(levels[0], levels[1]);
  assert.ok((levels[0]?.at(-1) ?? 0) > 0);
});

/** What an account that holds all it may does with its other orders, which bid more than all that run. */
const aboveItsShare = {
  'wait and stay': () => {},
  'leave after a second': (bench: ExchangeBench, orders: readonly string[]) => {
    bench.pass(1);
    for (const order of orders) bench.withdraw(order);
  },
  'leave after a while': (bench: ExchangeBench, orders: readonly string[]) => {
    bench.pass(5);
    for (const order of orders) bench.withdraw(order);
  },
};

for (const [what, play] of Object.entries(aboveItsShare)) {
  test(`orders of an account at its largest share do not move level or quote: they ${what}`, () => {
    const [without, beside, unbound] = [
      { orders: 0, accountShareMax: 0.25 },
      { orders: 20, accountShareMax: 0.25 },
      { orders: 20, accountShareMax: null },
    ].map(({ orders, accountShareMax }) => {
      const row = { model: 'tide-70b', level: usd(2), levelSeq: 1, atMs: 5 };
      const bench = new ExchangeBench(marketListing({ accountShareMax }), [row]);
      bench.slots(4);
      for (const account of ['ann', 'ben', 'cid', 'dan']) bench.rest(account, 9, { account });
      for (const account of ['eve', 'fay']) bench.rest(account, 1, { account });
      bench.pass(30);
      const more = Array.from({ length: orders }, (_, at) => `more ${at}`);
      for (const order of more) bench.rest(order, 8, { account: 'ann' });
      play(bench, more);
      bench.pass(30 - (bench.nowMs % 10_000) / 1000);
      return bench.all.flatMap((event) => (event.type === 'level' || event.type === 'quote' ? [event] : []));
    });
    const prices = (events: typeof without) =>
      events?.map((event) => [event.type, event.atMs, event.type === 'level' ? event.level : event.price]);
    assert.deepEqual(prices(beside), prices(without));
    assert.notDeepEqual(prices(unbound), prices(without));
  });
}

test('every event of a market is numbered by one more than the last', () => {
  const bench = new ExchangeBench();
  bench.slots(1);
  for (const order of ['ann', 'ben', 'cid']) bench.rest(order, 3);
  bench.pass(3);
  bench.release('ann');
  bench.reprice('cid', 9);
  assert.deepEqual(
    bench.all.map((event) => event.seq),
    bench.all.map((_, index) => index + 1),
  );
  assert.deepEqual(
    bench.levels.map((event) => event.levelSeq),
    bench.levels.map((_, index) => index + 1),
  );
});

test('a fixed-price listing has no level and no positions, and its accounts take turns', () => {
  const bench = new ExchangeBench(fixedListing());
  bench.rest('a1', 0.3, { account: 'ann' });
  bench.rest('a2', 0.3, { account: 'ann' });
  bench.rest('b1', 0.3, { account: 'ben' });
  assert.deepEqual(bench.positions('a1', 'a2', 'b1'), [null, null, null]);
  bench.slots(2);
  bench.pass(3);
  assert.equal(bench.running, 'a1 b1');
  assert.deepEqual(bench.levels, []);
  const [admit] = bench.admits;
  assert.deepEqual([admit?.level, admit?.levelSeq], [usd(0.3), 0]);
});

test('an order on a fixed-price listing cannot be repriced', () => {
  const bench = new ExchangeBench(fixedListing());
  bench.rest('ann', 1);
  assert.deepEqual(
    bench.reprice('ann', 2).map((event) => event.type),
    ['not-resting'],
  );
});

test('a preview publishes simulated levels within its bounds and takes no orders', () => {
  const bench = new ExchangeBench(marketListing({ preview: true, floor: usd(1) }));
  bench.pass(100);
  assert.ok(bench.levels.length > 50);
  for (const { level, degraded } of bench.levels) {
    assert.ok(level >= usd(1) && level <= usd(100) && Number.isInteger(level));
    assert.equal(degraded, false);
  }
  assert.throws(() => bench.rest('ann', 3), /no market for tide-70b/);
});

test('the pods of a preview are not used before it opens', () => {
  const bench = new ExchangeBench(marketListing({ preview: true }));
  assert.deepEqual(bench.slots(4), []);
});

test('a preview continues from its last level after a restart', () => {
  const bench = new ExchangeBench(marketListing({ preview: true }), [
    { model: 'tide-70b', level: usd(4), levelSeq: 17, atMs: 5 },
  ]);
  assert.deepEqual([bench.levels[0]?.level, bench.levels[0]?.levelSeq], [usd(4), 18]);
});

test('a command for a model without a market is an error of the order service', () => {
  assert.throws(() => new ExchangeBench().rest('ann', 3, { model: 'nobody' }), /no market for nobody/);
});
