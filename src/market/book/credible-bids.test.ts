import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { CountableBids } from './countable-bids.ts';
import { CREDIBLE_MS, CredibleBids } from './credible-bids.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';
import { YoungBids } from './young-bids.ts';

function order(price: number, name = 'one', account = new MarketAccount('ann')): MarketOrder {
  const rest = { type: 'rest', model: 'tide', order: name, account: 'ann', bid: price } as const;
  const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
  const created = new MarketOrder({ ...rest, ...first }, account, 1);
  account.queued.add(created);
  return created;
}

/** Credible bids on a clock that is moved by hand. */
class CredibleBench {
  /** Every change told, as `[when, order, price]`. */
  readonly told: [atMs: number, order: string, price: number | null][] = [];
  /** Bids below it become credible without being told of. */
  untoldBelow = 0;
  /** The accounts of credible bids that were not told of, when they leave. */
  readonly left: string[] = [];
  readonly #young = new YoungBids<MarketOrder>(CREDIBLE_MS);
  readonly bids = new CredibleBids(this.#young, {
    set: (changed, price) => {
      this.told.push([this.nowMs, changed.id, price]);
      changed.credible = price;
      changed.account.queued.clearSpare(changed);
    },
    untoldBelow: () => this.untoldBelow,
    untoldLeaves: ({ id }) => void this.left.push(id),
  });
  nowMs = 0;

  /** Does what falls due until `nowMs`, when it falls due. */
  at(nowMs: number): this {
    for (let dueMs = this.bids.dueBy(nowMs); dueMs !== null; dueMs = this.bids.dueBy(nowMs)) {
      this.nowMs = dueMs;
      this.bids.advanceTo(dueMs);
    }
    this.nowMs = nowMs;
    return this;
  }

  joins(joined: MarketOrder, known = false): this {
    joined.state = 'waiting';
    this.bids.joins(joined, known, this.nowMs);
    return this;
  }

  leaves(left: MarketOrder): void {
    left.state = 'outside';
    this.bids.leaves(left);
  }

  reprices(repriced: MarketOrder, price: number): this {
    const before = repriced.price;
    repriced.price = price;
    this.bids.reprices(repriced, before, this.nowMs);
    return this;
  }
}

test('a new order counts after five seconds', () => {
  const bench = new CredibleBench();
  bench.at(1000).joins(order(7)).at(5999);
  assert.deepEqual(bench.told, []);
  bench.at(9000);
  assert.deepEqual(bench.told, [[6000, 'one', 7]]);
});

test('a bid is old enough at the very moment at which it falls due, however that was rounded', () => {
  for (let nowMs = 1_040_000.1; nowMs < 1_050_000; nowMs += 333.3) {
    const bench = new CredibleBench();
    const one = order(7);
    bench
      .at(nowMs)
      .joins(one)
      .at(nowMs + 5001);
    assert.equal(one.credible, 7, `${nowMs}`);
  }
});

test('an order that had rested or run before counts at once', () => {
  const bench = new CredibleBench();
  bench.at(1000).joins(order(7), true).at(20_000);
  assert.deepEqual(bench.told, [[1000, 'one', 7]]);
});

test('a higher price counts after five seconds, and a lower one at once', () => {
  const bench = new CredibleBench();
  const one = order(7);
  bench.joins(one, true).at(1000).reprices(one, 9).at(5999);
  assert.deepEqual(bench.told, [[0, 'one', 7]]);
  bench.at(7000).reprices(one, 3).at(20_000);
  assert.deepEqual(bench.told.slice(1), [
    [6000, 'one', 9],
    [7000, 'one', 3],
  ]);
});

test('a lower price while an order is too young makes it no older', () => {
  const bench = new CredibleBench();
  const one = order(7);
  bench.joins(one).at(4000).reprices(one, 3).at(20_000);
  assert.deepEqual(bench.told, [[5000, 'one', 3]]);
});

test('what is shown for less than five seconds never counts, and neither does an order that goes up and down', () => {
  const bench = new CredibleBench();
  const ann = new MarketAccount('ann');
  const [wall, brief] = [order(1, 'wall', ann), order(99, 'brief', ann)];
  bench.joins(wall, true).joins(brief).at(4999);
  bench.leaves(brief);
  for (let nowMs = 5000; nowMs < 60_000; nowMs += 4999) {
    bench.at(nowMs).reprices(wall, 99);
    bench.at(nowMs + 4998).reprices(wall, 1);
  }
  assert.deepEqual(bench.told, [[0, 'wall', 1]]);
});

test('an order that leaves no longer counts, and one that comes back is new', () => {
  const bench = new CredibleBench();
  const one = order(7);
  bench.joins(one).at(6000);
  bench.leaves(one);
  bench.at(7000).joins(one).at(8000);
  bench.leaves(one);
  bench.at(9000).joins(one).at(20_000);
  assert.deepEqual(bench.told, [
    [5000, 'one', 7],
    [6000, 'one', null],
    [14_000, 'one', 7],
  ]);
});

test('when the clock steps back, what was shown after the new time is old', () => {
  const bench = new CredibleBench();
  const [one, two] = [order(7, 'one'), order(8, 'two')];
  bench.at(3_600_000).joins(one).joins(two, true).reprices(two, 9);
  bench.at(1000);
  assert.deepEqual(bench.told.slice(1), [
    [1000, 'one', 7],
    [1000, 'two', 9],
  ]);
  bench.joins(order(5, 'three')).at(5999);
  assert.equal(bench.told.length, 3);
  bench.at(6000);
  assert.deepEqual(bench.told.at(-1), [6000, 'three', 5]);
});

test('when the clock steps back a little, nothing counts later than ten seconds after it came', () => {
  const bench = new CredibleBench();
  const [one, two, three] = [order(7, 'one'), order(8, 'two'), order(9, 'three')];
  bench.at(10_000).joins(one).at(13_000).joins(two).at(11_000).joins(three).at(21_000);
  assert.deepEqual(
    [one, two, three].map(({ credible }) => credible),
    [7, 8, 9],
  );
});

/** The lowest price shown during the last five seconds; null for an order that is younger. */
function lowestOf(shown: readonly (readonly [price: number, atMs: number])[], nowMs: number): number | null {
  let lowest = Number.POSITIVE_INFINITY;
  for (const [index, [price]] of shown.entries()) {
    const untilMs = shown[index + 1]?.[1] ?? Number.POSITIVE_INFINITY;
    if (untilMs > nowMs - 5000) lowest = Math.min(lowest, price);
  }
  return (shown[0]?.[1] ?? 0) <= nowMs - 5000 ? lowest : null;
}

test('under any repricing an order counts at the lowest price of the last five seconds', () => {
  const random = seededRandom(5);
  const bench = new CredibleBench();
  const ann = new MarketAccount('ann');
  const orders = Array.from({ length: 20 }, (_, index) => order(0, `${index}`, ann));
  const shown = new Map<MarketOrder, [number, number][]>();
  for (let step = 0; step < 8000; step++) {
    bench.at(bench.nowMs + Math.floor(random.next() * 120));
    const chosen = orders[Math.floor(random.next() * orders.length)];
    assert.ok(chosen);
    const price = Math.floor(random.next() * 10);
    const prices = shown.get(chosen);
    if (!prices) {
      chosen.price = price;
      bench.joins(chosen);
      shown.set(chosen, [[price, bench.nowMs]]);
    } else if (random.next() < 0.03) {
      bench.leaves(chosen);
      shown.delete(chosen);
    } else {
      bench.reprices(chosen, price);
      prices.push([price, bench.nowMs]);
    }
    for (const each of orders) {
      const expected = lowestOf(shown.get(each) ?? [], bench.nowMs);
      assert.equal(each.credible, shown.has(each) ? expected : null, `step ${step}`);
    }
  }
});

test('a bid that cannot count is credible without being told of, until it is repriced or leaves', () => {
  const bench = new CredibleBench();
  const ann = new MarketAccount('ann');
  const [low, high, gone] = [order(3, 'low', ann), order(9, 'high', ann), order(4, 'gone', ann)];
  bench.untoldBelow = 5;
  bench.joins(low).joins(high).joins(gone).at(1000);
  bench.leaves(gone);
  bench.at(9000);
  assert.deepEqual([bench.told, low.credible, bench.left], [[[5000, 'high', 9]], null, []]);
  bench.reprices(low, 8);
  assert.equal(low.credible, 3);
  bench.at(9500).reprices(low, 2).joins(gone).at(30_000);
  assert.deepEqual([bench.told.slice(1), gone.credible], [[[9500, 'low', 2]], null]);
  bench.leaves(gone);
  assert.deepEqual([bench.left, ann.queued.hasSpare(gone)], [['ann'], false]);
});

test('a bid that was raised while nobody was told of it is repriced like any other', () => {
  const bench = new CredibleBench();
  const one = order(7);
  bench.untoldBelow = 9;
  bench.joins(one).at(6000);
  // What counts bids does so when it looks for the best.
  one.credible = 7;
  one.account.queued.clearSpare(one);
  bench.reprices(one, 8).at(12_000).reprices(one, 6);
  assert.deepEqual(bench.told, [
    [11_000, 'one', 8],
    [12_000, 'one', 6],
  ]);
});

/** Orders of two markets that hear the same; in one every credible bid is told of. */
class TwinBench {
  readonly counted = [new Map<string, number>(), new Map<string, number>()] as const;
  readonly voices = { voice: 0, heldMax: Number.POSITIVE_INFINITY };
  readonly markets = this.counted.map((counted, twin) => {
    const young = new YoungBids<MarketOrder>(CREDIBLE_MS);
    const countable = new CountableBids({
      voice: () => this.voices.voice,
      heldMax: () => this.voices.heldMax,
      nowMs: () => this.nowMs,
      firstYoung: () => young.firstYoung,
      counts: ({ id }, price) => void (price === null ? counted.delete(id) : counted.set(id, price)),
      displaced: () => {},
    });
    if (twin === 1) Object.assign(countable, { untoldBelow: () => 0 });
    return { countable, bids: new CredibleBids(young, countable) };
  });
  nowMs = 0;

  at(nowMs: number): void {
    for (const { bids } of this.markets) {
      for (let dueMs = bids.dueBy(nowMs); dueMs !== null; dueMs = bids.dueBy(nowMs)) {
        this.nowMs = dueMs;
        bids.advanceTo(dueMs);
      }
    }
    this.nowMs = nowMs;
  }

  /** Does the same with an order of each market. */
  each(
    orders: readonly MarketOrder[],
    change: (order: MarketOrder, market: TwinBench['markets'][number], twin: number) => void,
  ): void {
    for (const [twin, market] of this.markets.entries()) {
      const own = orders[twin];
      assert.ok(own);
      change(own, market, twin);
    }
  }
}

for (const seed of [1, 2, 3])
  test(`the same bids count as if every credible one were told of, with seed ${seed}`, () => {
    const random = seededRandom(seed);
    const pick = (count: number) => Math.floor(random.next() * count);
    const bench = new TwinBench();
    const accounts = ['ann', 'ben'].map((id) => [new MarketAccount(id), new MarketAccount(id)] as const);
    const orders = Array.from({ length: 120 }, (_, index) => {
      const own = accounts[index % 2];
      return [0, 1].map((twin) => order(0, `${index}`, own?.[twin]));
    });
    let untold = 0;
    for (let step = 0, seq = 1; step < 6000; step++) {
      // Most things happen in the same millisecond as others; now and then the clock steps back.
      if (pick(4) === 0) bench.at(bench.nowMs + (pick(200) === 0 ? -pick(9000) : pick(400)));
      const chosen = orders[pick(orders.length)] ?? [];
      const [price, dice, known] = [pick(12), pick(100), pick(10) === 0];
      if (dice < 3) {
        Object.assign(bench.voices, { voice: pick(5), heldMax: pick(3) === 0 ? pick(6) : Number.POSITIVE_INFINITY });
        for (const { countable } of bench.markets) countable.slotsChanged();
      } else if (dice < 10) {
        const held = pick(4);
        bench.each(chosen, ({ account }, { countable }) => {
          account.held = held;
          countable.heldChanged(account);
        });
      } else {
        seq++;
        bench.each(chosen, (own, { bids }) => {
          if (own.state !== 'waiting') {
            Object.assign(own, { state: 'waiting', price, seq });
            bids.joins(own, known, bench.nowMs);
          } else if (dice < 55) {
            own.state = 'outside';
            bids.leaves(own);
          } else if (dice < 75) {
            const before = own.price;
            Object.assign(own, { price, seq });
            bids.reprices(own, before, bench.nowMs);
          }
        });
      }
      untold += orders.filter(([own, told]) => own?.credible === null && told?.credible !== null).length;
      assert.deepEqual(bench.counted[0], bench.counted[1], `step ${step}`);
    }
    assert.ok(untold > 1000, `${untold} bids were not told of`);
  });
