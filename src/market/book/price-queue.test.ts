import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketAccount, MarketOrder } from './market-order.ts';
import { PriceQueue } from './price-queue.ts';

/** A queue of orders, one per row: name, account, bid. `held` is the number of slots an account holds. */
function queue(shareMax: number | null, held: Record<string, number>, table: string): PriceQueue {
  const drawn = new PriceQueue(shareMax);
  const accounts = new Map<string, MarketAccount>();
  for (const [seq, row] of table.trim().split('\n').entries()) {
    const [order = '', id = '', bid] = row.trim().split(/\s+/);
    const account = accounts.get(id) ?? new MarketAccount(id);
    account.held = held[id] ?? 0;
    accounts.set(id, account);
    const rest = { type: 'rest', model: 'tide-70b', order, account: id, bid: Number(bid), attempt: 1 } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null, house: false };
    drawn.add(new MarketOrder({ ...rest, ...free }, account, seq));
  }
  return drawn;
}

const TABLE = `
  w1  whale  9
  w2  whale  9
  s1  shark  5
  a1  ann    1
`;

test('without a bound the best order is next, whichever account sent it', () => {
  assert.equal(queue(null, { whale: 100 }, TABLE).next(100)?.id, 'w1');
});

test('an account below its share is served by price', () => {
  assert.equal(queue(0.5, { whale: 3 }, TABLE).next(8)?.id, 'w1');
});

test('an account at its share is passed over for the best order of another', () => {
  assert.equal(queue(0.5, { whale: 4 }, TABLE).next(8)?.id, 's1');
  assert.equal(queue(0.5, { whale: 4, shark: 4 }, TABLE).next(8)?.id, 'a1');
});

test('when every waiting account is at its share the best order runs anyway', () => {
  assert.equal(queue(0.25, { whale: 2, shark: 2, ann: 2 }, TABLE).next(8)?.id, 'w1');
});

test('a share is never less than one slot', () => {
  assert.equal(queue(0.01, {}, TABLE).next(8)?.id, 'w1');
  assert.equal(queue(0.01, { whale: 1 }, TABLE).next(8)?.id, 's1');
});

test('an empty queue has no next order', () => {
  assert.equal(new PriceQueue(0.5).next(8), null);
});
