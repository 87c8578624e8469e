import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { type AccountBid, AccountBids } from './account-bids.ts';

type Bid = AccountBid & { readonly credible: number };

/** An account none of whose bids is in a column. */
const bidder = { column: null };

function bid(credible: number, credibleSeq: number): Bid {
  return { price: credible, seq: credibleSeq, credible, credibleSeq, columnNumber: -1 };
}

test('the best bids count, as many as it is told', () => {
  const bids = new AccountBids<Bid>(bidder);
  const [low, high, middle] = [bid(3, 1), bid(9, 2), bid(5, 3)];
  assert.equal(bids.insert(low), false);
  assert.equal(bids.insert(high), false);
  assert.equal(bids.raise(), high);
  assert.equal(bids.raise(), low);
  assert.equal(bids.insert(middle), true);
  assert.deepEqual([bids.counting, bids.lower(), bids.counting], [3, low, 2]);
  assert.deepEqual([bids.remove(high), bids.remove(low), bids.counting, bids.size], [true, false, 1, 1]);
  assert.deepEqual([bids.raise(), bids.lower(), bids.lower()], [null, middle, null]);
});

test('orders with the same price and seq are told apart', () => {
  const bids = new AccountBids<Bid>(bidder);
  const same = Array.from({ length: 3 }, () => bid(4, 7));
  for (const each of same) bids.insert(each);
  bids.raise();
  for (const each of same) bids.remove(each);
  assert.deepEqual([bids.size, bids.counting], [0, 0]);
});

test('however many come and go in whatever order, those that count are the best', () => {
  const random = seededRandom(3);
  const bids = new AccountBids<Bid>(bidder);
  const model: Bid[] = [];
  for (let seq = 0; seq < 6000; seq++) {
    // For a while many come, then many go.
    if (random.next() < (seq % 400 < 200 ? 0.9 : 0.1)) {
      const order = bid(Math.floor(random.next() * 40), seq);
      const counted = bids.counting;
      model.push(order);
      model.sort((a, b) => b.credible - a.credible || a.credibleSeq - b.credibleSeq);
      assert.equal(bids.insert(order), model.indexOf(order) < counted);
    } else if (model.length > 0) {
      const place = Math.floor(random.next() * model.length);
      const [order] = model.splice(place, 1);
      const counted = bids.counting;
      assert.ok(order);
      assert.equal(bids.remove(order), place < counted);
    }
    const counted = bids.counting;
    if (seq % 7 === 0) assert.equal(bids.raise(), model[counted] ?? null);
    else if (seq % 9 === 0) assert.equal(bids.lower(), model[counted - 1] ?? null);
    assert.equal(bids.size, model.length);
  }
});
