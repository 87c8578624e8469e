import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { CountableBids } from './countable-bids.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';

/** The bids of accounts whose voice and share the test sets. */
class CountableBench {
  voice = 0;
  heldMax = Number.POSITIVE_INFINITY;
  nowMs = 0;
  /** The price at which each order counts now. */
  readonly counted = new Map<MarketOrder, number>();
  /** Those that count no longer beside better ones. */
  readonly displaced: MarketOrder[] = [];
  readonly bids = new CountableBids({
    voice: () => this.voice,
    heldMax: () => this.heldMax,
    nowMs: () => this.nowMs,
    firstYoung: () => 0,
    counts: (order, price) => {
      assert.notEqual(this.counted.get(order) ?? null, price, 'told only of changes');
      if (price === null) this.counted.delete(order);
      else this.counted.set(order, price);
    },
    displaced: (order) => void this.displaced.push(order),
  });
  #seq = 0;

  order(account: MarketAccount): MarketOrder {
    const rest = { type: 'rest', model: 'tide', order: `${++this.#seq}`, account: account.id, bid: 0 } as const;
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    const order = new MarketOrder({ ...rest, ...first }, account, this.#seq);
    account.queued.add(order);
    return order;
  }

  rests(account: MarketAccount, ...prices: number[]): MarketOrder[] {
    return prices.map((price) => {
      const order = this.order(account);
      this.bids.set(order, price);
      return order;
    });
  }

  get prices(): number[] {
    return [...this.counted.values()].toSorted((a, b) => b - a);
  }
}

test('of an account that runs nothing and started nothing, the best bid counts', () => {
  const bench = new CountableBench();
  const [ann, ben] = [new MarketAccount('ann'), new MarketAccount('ben')];
  const [, best] = bench.rests(ann, 3, 9, 5);
  bench.rests(ben, 4, 4);
  assert.deepEqual(bench.prices, [9, 4]);
  assert.ok(best);
  bench.bids.set(best, null);
  assert.deepEqual(bench.prices, [5, 4]);
});

test('one that counts no longer beside a better one of its account is displaced, and one that leaves is not', () => {
  const bench = new CountableBench();
  const ann = new MarketAccount('ann');
  const [first, second, third] = bench.rests(ann, 3, 4, 5);
  assert.ok(first && second && third);
  assert.deepEqual(bench.displaced, [first, second]);
  bench.bids.set(third, null);
  assert.deepEqual([bench.prices, bench.displaced.length], [[4], 2]);
  bench.heldMax = 0;
  bench.bids.slotsChanged();
  assert.deepEqual(bench.displaced.slice(2), [second]);
});

test('one that bids less than another of its account is displaced, too', () => {
  const bench = new CountableBench();
  const [best] = bench.rests(new MarketAccount('ann'), 9, 8);
  assert.ok(best);
  bench.bids.set(best, 8.5);
  assert.deepEqual([bench.prices, bench.displaced], [[8.5], []]);
  bench.bids.set(best, 7);
  assert.deepEqual([bench.prices, bench.displaced], [[8], [best]]);
});

test('of equal bids those count that came first', () => {
  const bench = new CountableBench();
  const [first, second] = bench.rests(new MarketAccount('ann'), 4, 4);
  assert.deepEqual([...bench.counted.keys()], [first]);
  assert.ok(first && second);
  first.seq = 9;
  bench.bids.set(first, 4);
  assert.deepEqual([...bench.counted.keys()], [second]);
});

test('as many bids count as the account runs and started lately, and one more', () => {
  const bench = new CountableBench();
  const ann = new MarketAccount('ann');
  bench.rests(ann, 9, 8, 7, 6, 5, 4);
  ann.held = 2;
  bench.bids.heldChanged(ann);
  assert.deepEqual(bench.prices, [9, 8, 7]);
  bench.voice = 1.9;
  bench.bids.voiceChanged(ann);
  bench.bids.heldChanged(ann);
  assert.deepEqual(bench.prices, [9, 8, 7, 6]);
  ann.held = 0;
  bench.bids.heldChanged(ann);
  assert.deepEqual(bench.prices, [9, 8]);
});

test('no more bids count than the account may run besides what it runs', () => {
  const bench = new CountableBench();
  const ann = new MarketAccount('ann');
  Object.assign(bench, { voice: 100, heldMax: 4 });
  bench.rests(ann, 9, 8, 7, 6, 5);
  assert.deepEqual(bench.prices, [9, 8, 7, 6]);
  ann.held = 3;
  bench.bids.heldChanged(ann);
  assert.deepEqual(bench.prices, [9]);
  ann.held = 4;
  bench.bids.heldChanged(ann);
  assert.deepEqual(bench.prices, []);
});

test('while nothing can have changed what an account may speak for, it is not asked again', () => {
  const bench = new CountableBench();
  let asked = 0;
  let voice = 1.5;
  Object.defineProperty(bench, 'voice', {
    get: () => {
      asked++;
      return voice;
    },
  });
  const ann = new MarketAccount('ann');
  bench.rests(ann, 5, 4);
  assert.deepEqual([bench.prices, asked], [[5, 4], 2]);
  bench.rests(ann, 3, 2, 1);
  assert.deepEqual([bench.prices, asked, bench.bids.untoldBelow(ann)], [[5, 4], 2, 4]);
  bench.rests(ann, 9);
  assert.deepEqual([bench.prices, asked], [[9, 5], 3]);
  bench.bids.voiceChanged(ann);
  voice = 2;
  assert.equal(bench.bids.untoldBelow(ann), 0);
  bench.rests(ann, 1);
  assert.deepEqual([bench.prices, asked], [[9, 5, 4], 4]);
});

test('what an account may speak for is asked again when its voice may have faded, or the clock stepped back', () => {
  const bench = new CountableBench();
  const ann = new MarketAccount('ann');
  Object.assign(bench, { voice: 1.5, nowMs: 1000 });
  bench.rests(ann, 5, 4, 3);
  const fadedMs = Math.floor(1000 + 600_000 * Math.log(1.5));
  for (const [nowMs, limit] of [
    [1000, 4],
    [fadedMs - 2, 4],
    [fadedMs + 1, 0],
    [999, 0],
  ] as const) {
    bench.nowMs = nowMs;
    assert.equal(bench.bids.untoldBelow(ann), limit, `at ${nowMs}`);
  }
  Object.assign(bench, { voice: 0.99, nowMs: fadedMs + 1 });
  bench.rests(ann, 1);
  bench.nowMs = 1e12;
  assert.deepEqual([bench.prices, bench.bids.untoldBelow(ann)], [[5], 4]);
});

test('of an account that may run nothing more, no bid is read but a better one', () => {
  const bench = new CountableBench();
  const ann = new MarketAccount('ann');
  bench.heldMax = 0;
  bench.rests(ann, 5);
  assert.deepEqual([bench.prices, bench.bids.untoldBelow(ann)], [[], 5]);
});

test('when the slots change, every account counts up to its new share', () => {
  const bench = new CountableBench();
  Object.assign(bench, { voice: 100, heldMax: 1 });
  for (const id of ['ann', 'ben']) bench.rests(new MarketAccount(id), 9, 8, 7);
  assert.deepEqual(bench.prices, [9, 9]);
  bench.heldMax = 2;
  bench.bids.slotsChanged();
  assert.deepEqual(bench.prices, [9, 9, 8, 8]);
  bench.heldMax = 0;
  bench.bids.slotsChanged();
  assert.deepEqual(bench.prices, []);
});

test('after any changes the best bids of each account count, as many as it may speak for', () => {
  const random = seededRandom(8);
  const pick = (count: number) => Math.floor(random.next() * count);
  const bench = new CountableBench();
  const accounts = ['ann', 'ben', 'cid'].map((id) => new MarketAccount(id));
  const orders = accounts.flatMap((account) => Array.from({ length: 12 }, () => bench.order(account)));
  const credibleSeqs = new Map<MarketOrder, number>();
  let seq = 1000;
  for (let step = 0; step < 6000; step++) {
    const order = orders[pick(orders.length)];
    assert.ok(order);
    const { account } = order;
    if (step % 5 === 0) {
      account.held = pick(6);
      bench.bids.heldChanged(account);
    } else if (step % 97 === 1) {
      Object.assign(bench, { voice: random.next() * 6, heldMax: pick(3) === 0 ? Number.POSITIVE_INFINITY : pick(8) });
      bench.bids.slotsChanged();
    } else {
      order.seq = seq++;
      const price = pick(6);
      if (price !== order.credible) {
        bench.bids.set(order, price === 0 ? null : price);
        credibleSeqs.set(order, order.seq);
      }
    }
    const expected = accounts.flatMap((each) => {
      const own = orders.flatMap((order) => {
        const { account: owner, credible: price } = order;
        return owner === each && price !== null ? [{ order, price, seq: credibleSeqs.get(order) ?? 0 }] : [];
      });
      const allowed = Math.min(Math.max(0, bench.heldMax - each.held), each.held + 1 + Math.floor(bench.voice));
      return own.sort((a, b) => b.price - a.price || a.seq - b.seq).slice(0, allowed);
    });
    assert.deepEqual(bench.counted, new Map(expected.map((bid) => [bid.order, bid.price])));
  }
});
