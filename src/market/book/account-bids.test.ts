import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { type AccountBid, AccountBids } from './account-bids.ts';
import { NO_PLACE, QueuedOrders } from './queued-orders.ts';

/** An account whose bids are all of age. */
class Account {
  readonly queued = new QueuedOrders<AccountBid>();
  readonly bids = new AccountBids<AccountBid>(this.queued);

  /** A bid in the queue, which is none of those of `bids` yet. */
  queue(price: number, seq: number): AccountBid {
    const bid = { price, seq, credible: price, place: NO_PLACE };
    this.queued.add(bid);
    return bid;
  }

  insert(price: number, seq: number): AccountBid {
    const bid = this.queue(price, seq);
    this.bids.insert(bid);
    return bid;
  }

  raise(wanted = 1): AccountBid | null {
    return this.bids.raise(wanted, 0);
  }

  get isEmpty(): boolean {
    return this.bids.isEmpty(0);
  }
}

test('the best bids count, as many as it is told', () => {
  const ann = new Account();
  const { bids } = ann;
  const [low, high] = [ann.insert(3, 1), ann.insert(9, 2)];
  assert.deepEqual([bids.isCounting(high), ann.raise(), ann.raise()], [false, high, low]);
  const middle = ann.insert(5, 3);
  assert.deepEqual([bids.isCounting(middle), bids.counting, bids.lower(), bids.counting], [true, 3, low, 2]);
  bids.remove(high);
  assert.deepEqual([bids.isCounting(middle), bids.counting], [true, 1]);
  bids.remove(low);
  assert.deepEqual([ann.raise(), bids.lower(), bids.lower(), ann.isEmpty], [null, middle, null, false]);
  bids.remove(middle);
  assert.equal(ann.isEmpty, true);
});

test('orders with the same price and seq are told apart', () => {
  const ann = new Account();
  const same = Array.from({ length: 3 }, () => ann.insert(4, 7));
  ann.raise();
  for (const each of same) ann.bids.remove(each);
  assert.deepEqual([ann.isEmpty, ann.bids.counting], [true, 0]);
});

test('a bid that became credible without being told of counts in its turn', () => {
  const ann = new Account();
  const told = ann.insert(9, 1);
  assert.deepEqual([ann.bids.spareBelow, ann.raise()], [9, told]);
  ann.bids.leaveSparesUntold();
  const [young, untold] = [ann.queue(8, 2), ann.queue(7, 3)];
  for (const [number, bid] of [young, untold].entries()) {
    bid.credible = null;
    ann.queued.setSpare(bid, { price: bid.price, seq: bid.seq, number: 1 - number });
  }
  assert.deepEqual([ann.bids.raise(1, 1), ann.bids.raise(1, 1), ann.bids.spareBelow], [untold, null, 7]);
  assert.deepEqual([untold.credible, young.credible], [7, null]);
});

test('an account is empty when no bid of age is left, though others may have become credible untold', () => {
  const ann = new Account();
  ann.bids.leaveSparesUntold();
  assert.equal(ann.isEmpty, true);
  const untold = ann.queue(7, 1);
  untold.credible = null;
  ann.queued.setSpare(untold, { price: 7, seq: 1, number: 0 });
  ann.bids.leaveSparesUntold();
  assert.deepEqual([ann.bids.isEmpty(0), ann.bids.isEmpty(1), ann.bids.counting], [true, false, 0]);
  ann.bids.remove(untold);
  assert.equal(ann.bids.isEmpty(1), true);
});

test('a bid that is nowhere is not taken for one that counts', () => {
  const ann = new Account();
  const lost = ann.queue(7, 1);
  assert.throws(() => ann.bids.isCounting(lost), /is in order/);
});

test('however many come and go in whatever order, those that count are the best', () => {
  const random = seededRandom(3);
  const ann = new Account();
  const { bids } = ann;
  const model: AccountBid[] = [];
  for (let seq = 0; seq < 6000; seq++) {
    // For a while many come, then many go.
    if (random.next() < (seq % 400 < 200 ? 0.9 : 0.1)) {
      const counted = bids.counting;
      const order = ann.insert(Math.floor(random.next() * 40), seq);
      model.push(order);
      model.sort((a, b) => b.price - a.price || a.seq - b.seq);
      assert.equal(bids.isCounting(order), model.indexOf(order) < counted);
    } else if (model.length > 0) {
      const [place, counted] = [Math.floor(random.next() * model.length), bids.counting];
      const [order] = model.splice(place, 1);
      assert.ok(order);
      assert.equal(bids.isCounting(order), place < counted);
      bids.remove(order);
      ann.queued.delete(order);
      assert.equal(bids.counting, counted - (place < counted ? 1 : 0));
    }
    const counted = bids.counting;
    if (seq % 7 === 0) assert.equal(ann.raise(1 + (seq % 40)), model[counted] ?? null);
    else if (seq % 9 === 0) assert.equal(bids.lower(), model[counted - 1] ?? null);
    // What is below is spare, and the rest in order.
    for (const order of model) if (order.price < bids.spareBelow) assert.equal(ann.queued.hasSpare(order), true);
  }
});
