import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';

/** Waiting accounts. Orders are named `account number` and arrive when first named. */
class Queue {
  readonly turns = new FairQueue();
  readonly #accounts = new Map<string, MarketAccount>();
  readonly #orders = new Map<string, MarketOrder>();

  wait(...orders: string[]): void {
    for (const name of orders) this.turns.add(this.order(name));
  }

  /** Serves the next order and returns its name. */
  serve(): string | null {
    const order = this.turns.next();
    if (!order) return null;
    this.turns.remove(order);
    order.account.held++;
    this.turns.heldChanged(order.account, true);
    return order.id;
  }

  serveAll(): string {
    const served: string[] = [];
    for (let name = this.serve(); name !== null; name = this.serve()) served.push(name);
    return served.join(' ');
  }

  finish(...orders: string[]): void {
    for (const name of orders) {
      const { account } = this.order(name);
      account.held--;
      this.turns.heldChanged(account, false);
    }
  }

  order(name: string): MarketOrder {
    const known = this.#orders.get(name);
    if (known) return known;
    const id = name.slice(0, 1);
    const account = this.#accounts.get(id) ?? new MarketAccount(id);
    this.#accounts.set(id, account);
    const rest = { type: 'rest', model: 'ebb-8b', order: name, account: id, bid: 5, attempt: 1 } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null, house: false };
    const order = new MarketOrder({ ...rest, ...free }, account, this.#orders.size);
    this.#orders.set(name, order);
    return order;
  }
}

test('one account is served in order of arrival', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'a3');
  assert.equal(queue.serveAll(), 'a1 a2 a3');
});

test('the next slot goes to the waiting account that holds the fewest slots', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  assert.equal(queue.serveAll(), 'a1 b1 c1 a2 b2 a3 a4');
});

test('an account with long jobs does not accumulate slots', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'a3', 'b1', 'b2', 'b3');
  assert.deepEqual([queue.serve(), queue.serve()], ['a1', 'b1']);
  queue.finish('b1');
  assert.equal(queue.serve(), 'b2');
  queue.finish('b2');
  assert.equal(queue.serve(), 'b3');
});

test('of accounts that hold equally many slots the one served longest ago is next', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'b1', 'b2');
  queue.serve();
  queue.serve();
  queue.finish('b1', 'a1');
  assert.equal(queue.serve(), 'a2');
});

test('the last serving of an account is remembered while it has no orders', () => {
  const queue = new Queue();
  queue.wait('a1', 'b1');
  queue.serveAll();
  queue.finish('a1', 'b1');
  queue.wait('b2', 'a2');
  assert.equal(queue.serve(), 'a2');
});

test('an account never served comes before all others', () => {
  const queue = new Queue();
  queue.wait('a1');
  queue.serve();
  queue.finish('a1');
  queue.wait('a2', 'b1', 'c1');
  assert.equal(queue.serveAll(), 'b1 c1 a2');
});

test('an order that returns takes its old place in its queue', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'a3');
  queue.serve();
  queue.finish('a1');
  queue.wait('a1');
  assert.equal(queue.serveAll(), 'a1 a2 a3');
});

test('removing an order from the middle leaves the others in order', () => {
  const queue = new Queue();
  queue.wait('a1', 'a2', 'a3', 'b1');
  queue.turns.remove(queue.order('a2'));
  queue.turns.remove(queue.order('b1'));
  queue.turns.remove(queue.order('b1'));
  assert.equal(queue.turns.size, 2);
  assert.equal(queue.serveAll(), 'a1 a3');
});
