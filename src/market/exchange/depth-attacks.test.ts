/** What a reader or a forger of other traders’ orders gets from the depth of a market. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marketListing, someQuotes } from '#testing/listings.ts';
import type { Rest } from '../ports.ts';
import { Exchange } from './exchange.ts';

const WINDOW_MS = 10_000;
const START_MS = 1_000_000;

/** A market with one slot that is held, and short forms of what happens in it. */
class DepthBench {
  nowMs = START_MS;
  readonly #exchange = new Exchange({
    listings: [marketListing()],
    levelTimeConstantMs: 20_000,
    recovered: [],
    ...someQuotes(),
    emit: () => {},
    nowMs: START_MS,
  });

  constructor() {
    const capacity = { type: 'capacity', model: 'tide-70b', pod: 'pod-1', slots: 1, healthy: true } as const;
    this.#exchange.handle(capacity, this.nowMs);
    this.rest('runs', 'runner', 90);
  }

  rest(order: string, account: string, price: number, more: Partial<Rest> = {}): void {
    const rest: Rest = {
      ...{ type: 'rest', model: 'tide-70b', order, account, bid: price * 1e9, lockLimit: null },
      ...{ restedSeq: null, attempt: 1, avoidPod: null, house: false, ...more },
    };
    this.#exchange.handle(rest, this.nowMs);
  }

  reprice(order: string, price: number): void {
    this.#exchange.handle({ type: 'reprice', model: 'tide-70b', order, bid: price * 1e9 }, this.nowMs);
  }

  /** Three accounts with one order each at this price. */
  crowd(price: number): void {
    for (const name of ['a', 'b', 'c']) this.rest(`${name}${price}`, `${name}${price}`, price);
  }

  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      this.nowMs += 100;
      if (this.nowMs % 1000 === 0) this.#exchange.tick(this.nowMs);
      if (this.nowMs % WINDOW_MS === 0) this.#exchange.latchQuotes(this.nowMs);
    }
  }

  get steps(): [number, number][] | null {
    const depth = this.#exchange.find('tide-70b')?.depth ?? null;
    return depth?.steps.map(({ price, orders }) => [price / 1e9, orders]) ?? null;
  }

  get busy(): string | null {
    const depth = this.#exchange.find('tide-70b')?.depth ?? null;
    return depth && `${depth.held} of ${depth.slots}`;
  }
}

test('an order is seen ten to twenty seconds after it counts, and its going as late', () => {
  const bench = new DepthBench();
  bench.pass(WINDOW_MS);
  assert.equal(bench.steps, null);
  bench.crowd(2);
  bench.pass(WINDOW_MS);
  assert.deepEqual([bench.steps, bench.busy], [[], '1 of 1']);
  bench.pass(WINDOW_MS);
  assert.deepEqual(bench.steps, [[2, 3]]);
});

test('bids that are shown for less than two and a half seconds around the moment of the picture are not in it', () => {
  const wall = new DepthBench();
  wall.crowd(2);
  wall.pass(WINDOW_MS - 1_000);
  for (const name of ['a2', 'b2', 'c2']) wall.reprice(name, 50);
  wall.pass(2_000);
  for (const name of ['a2', 'b2', 'c2']) wall.reprice(name, 2);
  wall.pass(9_000);
  assert.deepEqual(wall.steps, [[2, 3]], 'at the lowest that they bid');
});

test('a wall of one account counts as what that account runs and one more, and alone it is not seen', () => {
  const bench = new DepthBench();
  for (let order = 0; order < 500; order++) bench.rest(`w${order}`, 'whale', 3);
  bench.pass(3 * WINDOW_MS);
  assert.deepEqual(bench.steps, []);
  bench.rest('x', 'x', 3);
  bench.rest('y', 'y', 3);
  bench.pass(3 * WINDOW_MS);
  const [[price, orders] = [0, 0], ...more] = bench.steps ?? [];
  assert.deepEqual([price, more.length], [2.5, 0]);
  assert.ok(orders >= 3 && orders <= 4, `${orders} orders tell the size of the whale`);
});

test('probes of the gateway are not in it', () => {
  const bench = new DepthBench();
  for (const id of ['p', 'q', 'r']) bench.rest(id, id, 3, { house: true });
  bench.pass(3 * WINDOW_MS);
  assert.deepEqual(bench.steps, []);
});
