import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { BidColumn, type ColumnBid } from './bid-column.ts';

interface Bid extends ColumnBid {
  readonly price: number;
  /** What a plain list knows of it. */
  state: 'young' | 'credible' | 'gone';
}

function bid(price: number): Bid {
  return { price, state: 'young', columnNumber: -1 };
}

test('bids become credible in the order in which they came, and only those that are not below the limit are handed on', () => {
  const column = new BidColumn<Bid>();
  const [low, high, equal, later] = [bid(3), bid(9), bid(5), bid(1)];
  for (const each of [low, high, equal, later]) column.put(each, each.price);
  assert.deepEqual([column.mature(5), column.mature(5), column.mature(5)], [null, high, equal]);
  assert.deepEqual([column.credible, column.isDone], [1, false]);
  assert.deepEqual([column.take(high), column.take(low), column.take(low), column.isDone], [false, true, false, false]);
  assert.deepEqual([column.mature(5), column.takeCredible(), column.isDone], [null, [later], true]);
});

test('a young bid whose price changed is handed on whatever the limit, and a credible one is here no longer', () => {
  const column = new BidColumn<Bid>();
  const [credible, young] = [bid(4), bid(3)];
  for (const each of [credible, young]) column.put(each, each.price);
  assert.deepEqual([column.mature(9), column.change(credible), column.change(young)], [null, true, false]);
  assert.deepEqual([column.mature(9), column.credible, column.isDone], [young, 0, true]);
});

test('however many come and go, it has what a plain list has', () => {
  const random = seededRandom(4);
  const pick = (count: number) => Math.floor(random.next() * count);
  const column = new BidColumn<Bid>();
  const young: Bid[] = [];
  const all: Bid[] = [];
  const credible = () => all.filter(({ state }) => state === 'credible');
  for (let step = 0; step < 6000; step++) {
    const dice = pick(100);
    // For a while many come, then many become credible.
    if (dice < (step % 1000 < 500 ? 50 : 20)) {
      const next = bid(pick(50));
      all.push(next);
      young.push(next);
      column.put(next, next.price);
    } else if (dice < 65) {
      const chosen = all[pick(all.length)];
      if (!chosen) continue;
      assert.equal(column.take(chosen), chosen.state === 'credible');
      chosen.state = 'gone';
    } else if (dice < 97) {
      const limit = pick(60);
      const next = young.shift();
      if (!next) continue;
      const isHandedOn = next.state === 'young' && next.price >= limit;
      if (next.state === 'young') next.state = isHandedOn ? 'gone' : 'credible';
      assert.equal(column.mature(limit), isHandedOn ? next : null);
    } else {
      assert.deepEqual(column.takeCredible(), credible());
      for (const each of credible()) each.state = 'gone';
    }
    assert.deepEqual([column.credible, column.isDone], [credible().length, young.length + credible().length === 0]);
  }
});
