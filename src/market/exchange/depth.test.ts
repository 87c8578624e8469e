import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { Depth, type DepthStep } from './depth.ts';

const CEILING = 100e9;
const usd = (price: number) => Math.round(price * 1e9);

/** An account that holds so many slots. */
const holding = (held: number) => ({ held, standing: new Map<number, number>() });

/** Adds bids as `account: prices`, and returns what is shown when the window after them begins. */
function shown(bids: Readonly<Record<string, readonly number[]>>, depth = new Depth(CEILING)): [number, number][] {
  const accounts = new Map(Object.keys(bids).map((id) => [id, holding(1000)]));
  const each = (change: (account: ReturnType<typeof holding>, price: number) => void) => {
    for (const [id, prices] of Object.entries(bids)) {
      for (const price of prices) change(accounts.get(id) ?? holding(0), usd(price));
    }
  };
  each((account, price) => depth.add(account, price));
  const steps = shownNext(depth);
  each((account, price) => depth.remove(account, price));
  assert.deepEqual(shownNext(depth), [], 'What was added is taken away.');
  return steps.map(({ price, orders }) => [price / 1e9, orders]);
}

function shownNext(depth: Depth): readonly DepthStep[] {
  depth.latch({ atMs: 0, slots: 1, held: 0 });
  depth.latch({ atMs: 1, slots: 1, held: 0 });
  return depth.shown?.steps ?? [];
}

test('bids are counted in the step that they are in, the best first', () => {
  const prices = [1, 1.2, 0.5, 0.51];
  assert.deepEqual(shown({ a: prices, b: prices, c: prices }), [
    [1, 6],
    [0.5, 6],
  ]);
});

test('a step of fewer than three accounts is part of the one below', () => {
  assert.deepEqual(shown({ a: [5, 2], b: [5, 2], c: [2] }), [[2, 5]]);
});

test('the last bids of too few accounts are part of the step above', () => {
  assert.deepEqual(shown({ a: [5, 1], b: [5], c: [5], d: [1] }), [[1, 5]]);
});

test('a market of two accounts shows nothing, however many orders they have', () => {
  const many = Array.from({ length: 500 }, (_, index) => 1 + index / 100);
  assert.deepEqual(shown({ a: many, b: many }), []);
});

test('whatever bids come, each step has orders of three accounts, none is lost, and there are at most 41', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const depth = new Depth(CEILING);
    const bids = Array.from({ length: Math.ceil(random.next() * 300) }, () => {
      return { account: Math.floor(random.next() * 6), price: Math.round(10 ** (random.next() * 14)) };
    });
    const accounts = Array.from({ length: 6 }, () => holding(1000));
    for (const { account, price } of bids) depth.add(accounts[account] ?? holding(0), price);
    const steps = shownNext(depth);
    assert.ok(steps.length <= 41);
    const known = new Set(bids.map(({ account }) => account)).size >= 3;
    let counted = 0;
    let above = Number.POSITIVE_INFINITY;
    for (const { price, orders } of steps) {
      const inside = bids.filter((bid) => bid.price >= price && bid.price < above);
      assert.equal(inside.length, orders);
      assert.ok(new Set(inside.map(({ account }) => account)).size >= 3);
      counted += orders;
      above = price;
    }
    assert.equal(counted, known ? bids.length : 0);
  }
});

test('in each step an account counts as many orders as it runs, and one more', () => {
  const depth = new Depth(CEILING);
  const whale = holding(2);
  const others = [holding(0), holding(7)];
  for (let order = 0; order < 500; order++) depth.add(whale, usd(3));
  for (const other of others) depth.add(other, usd(3));
  assert.deepEqual(shownNext(depth), [{ price: usd(2.5), orders: 3 + 1 + 1 }]);
});

test('slots that an account takes and gives back count as those that it held before its orders came', () => {
  const random = seededRandom(3);
  for (let round = 0; round < 200; round++) {
    const [changed, afterwards] = [new Depth(CEILING), new Depth(CEILING)];
    const accounts = [0, 0, 3].map(holding);
    const bids: { account: ReturnType<typeof holding>; price: number }[] = [];
    for (let step = 0; step < 60; step++) {
      const draw = random.next();
      const account = accounts[Math.floor(random.next() * 3)] ?? holding(0);
      if (draw < 0.4) {
        bids.push({ account, price: usd(1 + Math.floor(random.next() * 3)) });
        changed.add(account, bids.at(-1)?.price ?? 0);
      } else if (draw < 0.6) {
        const [gone] = bids.splice(Math.floor(random.next() * bids.length), 1);
        if (gone) changed.remove(gone.account, gone.price);
      } else if (draw < 0.85 || account.held === 0) {
        account.held++;
        changed.holds(account, 1);
      } else {
        account.held--;
        changed.holds(account, -1);
      }
    }
    const copies = new Map(accounts.map((account) => [account, holding(account.held)]));
    for (const { account, price } of bids) afterwards.add(copies.get(account) ?? account, price);
    assert.deepEqual(shownNext(changed), shownNext(afterwards));
  }
});

test('the bounds of steps are the same whatever is bid, so that two pictures cannot be subtracted', () => {
  const boundOf = (price: number) => shown({ a: [price], b: [price], c: [price] })[0]?.[0];
  assert.deepEqual([1, 1.1, 1.249].map(boundOf), [1, 1, 1]);
  assert.deepEqual([1.25, 99, 1e6, 0.0125, 0.0124, 0].map(boundOf), [1.25, 80, 100, 0.0125, 0, 0]);
});

test('a picture is shown when the window after it begins', () => {
  const depth = new Depth(CEILING);
  for (const held of [1, 2, 3]) depth.add(holding(held), usd(1));
  assert.equal(depth.shown, null);
  depth.latch({ atMs: 10, slots: 8, held: 3 });
  assert.equal(depth.shown, null);
  depth.latch({ atMs: 20, slots: 9, held: 4 });
  assert.deepEqual(depth.shown, { atMs: 10, slots: 8, held: 3, steps: [{ price: usd(1), orders: 3 }] });
});

test('a ceiling below a thousand nano-dollars still has steps', () => {
  for (const ceiling of [1, 7, 12, 999]) {
    const depth = new Depth(ceiling);
    for (const held of [1, 2, 3]) depth.add(holding(held), ceiling);
    assert.equal(shownNext(depth).length, 1);
  }
});
