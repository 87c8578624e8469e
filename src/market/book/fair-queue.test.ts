import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';
import { MarketAccount, MarketOrder } from './market-order.ts';

/** A fair queue and its slots. Orders are named `account number`, such as a1, and arrive when first named. */
class Bench {
  readonly queue: FairQueue;
  readonly #accounts = new Map<string, MarketAccount>();
  readonly #orders = new Map<string, MarketOrder>();
  readonly #slots: number;
  #nowMs = 0;

  constructor({ slots = 4, shareMax = null as number | null } = {}) {
    this.#slots = slots;
    this.queue = new FairQueue(shareMax, 0);
  }

  wait(...orders: string[]): void {
    for (const name of orders) this.queue.add(this.order(name));
  }

  /** Serves the next order and returns its name. */
  serve(): string | null {
    const order = this.queue.next(this.#slots);
    if (!order) return null;
    this.queue.remove(order);
    order.account.held++;
    this.queue.starts(order);
    return order.id;
  }

  /** Serves all, or this many. */
  serveAll(count = Number.POSITIVE_INFINITY): string {
    const served: string[] = [];
    while (served.length < count) {
      const name = this.serve();
      if (name === null) break;
      served.push(name);
    }
    return served.join(' ');
  }

  finish(...orders: string[]): void {
    for (const name of orders) this.#end(name, false);
  }

  refuse(order: string): void {
    this.#end(order, true);
  }

  /** Lets seconds pass, counted once a second as by the ticks of an exchange. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) this.setClock(this.#nowMs + 1000);
  }

  /** Sets the time of the next count. */
  setClock(nowMs: number): void {
    this.#nowMs = nowMs;
    this.queue.count(nowMs);
  }

  /** Runs orders one after another, each for this many seconds. */
  runEach(seconds: number, count: number): string {
    const served: string[] = [];
    for (let turn = 0; turn < count; turn++) {
      const name = this.serve() ?? '-';
      served.push(name);
      this.pass(seconds);
      this.finish(name);
    }
    return served.join(' ');
  }

  order(name: string): MarketOrder {
    const known = this.#orders.get(name);
    if (known) return known;
    const id = name.replace(/\d+$/, '');
    const account = this.#accounts.get(id) ?? new MarketAccount(id);
    this.#accounts.set(id, account);
    const rest = { type: 'rest', model: 'ebb-8b', order: name, account: id, bid: 5, attempt: 1 } as const;
    const free = { lockLimit: null, restedSeq: null, avoidPod: null, house: false };
    const order = new MarketOrder({ ...rest, ...free }, account, this.#orders.size);
    this.#orders.set(name, order);
    return order;
  }

  #end(name: string, refused: boolean): void {
    const order = this.order(name);
    order.account.held--;
    this.queue.ends(order, refused);
  }
}

/** `account first` to `account last`. */
function names(account: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${account}${first + index}`);
}

test('one account is served in order of arrival', () => {
  const bench = new Bench();
  bench.wait('a1', 'a2', 'a3');
  assert.equal(bench.serveAll(), 'a1 a2 a3');
});

test('free slots at one moment go around: an order is charged when it starts', () => {
  const bench = new Bench();
  bench.wait('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  assert.equal(bench.serveAll(), 'a1 b1 c1 a2 b2 a3 a4');
});

// Spec 1-10
test('the next slot goes to the account that has used the least slot time', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 9), ...names('b', 1, 9));
  assert.equal(bench.serveAll(2), 'a1 b1');
  bench.pass(3);
  bench.finish('b1');
  assert.equal(bench.serve(), 'b2');
  bench.pass(3);
  bench.finish('b2');
  assert.equal(bench.serve(), 'b3');
});

test('with long and short jobs on one slot, the slot time is equal and not the number of jobs', () => {
  const bench = new Bench();
  bench.wait(...names('long', 1, 3), ...names('short', 1, 99));
  let used = 0;
  for (let turn = 0; turn < 60; turn++) {
    const name = bench.serve() ?? '';
    bench.pass(name.startsWith('long') ? 60 : 2);
    bench.finish(name);
    used += name.startsWith('long') ? 1 : 0;
  }
  assert.equal(used, 2);
});

test('the expected time of an order is what the last jobs of its account took', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 9), 'b1');
  bench.runEach(2, 2);
  bench.wait(...names('b', 2, 9));
  // Both have used 2 s. The one slot each gets is charged 2 s, so a third goes to neither before the other.
  assert.equal(bench.serveAll(4), 'a2 b2 a3 b3');
});

test('an account without finished jobs is expected to take the mean of the listing', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 9));
  bench.runEach(4, 4);
  bench.wait(...names('b', 1, 9));
  bench.wait(...names('c', 1, 9));
  assert.equal(bench.serveAll(6), 'a5 b1 c1 a6 b2 c2');
});

test('an order that outlives what was charged for it is charged again while it runs', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 99));
  bench.runEach(1, 20);
  bench.wait(...names('b', 1, 99));
  assert.equal(bench.serveAll(2), 'a21 b1');
  // a21 pretends to be a job of a second like the twenty before it, and runs for a minute.
  bench.pass(1);
  bench.finish('b1');
  for (let job = 2; job < 60; job++) {
    assert.equal(bench.serve(), `b${job}`);
    bench.pass(1);
    bench.finish(`b${job}`);
  }
  bench.finish('a21');
});

test('an order that ends early gets back what it did not use', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 9), ...names('b', 1, 9));
  assert.equal(bench.serveAll(2), 'a1 b1');
  bench.pass(1);
  bench.finish('a1');
  assert.equal(bench.serveAll(1), 'a2');
});

test('a refused order is charged the time it held its slot, and teaches no job time', () => {
  const bench = new Bench();
  bench.wait('a1', 'b1', 'a2', 'b2', 'a3', 'b3');
  assert.equal(bench.serveAll(2), 'a1 b1');
  bench.refuse('a1');
  assert.equal(bench.serveAll(3), 'a2 b2 a3');
});

test('an order that ends at once teaches that its account has short jobs', () => {
  const bench = new Bench();
  bench.wait('a1', 'b1', 'a2', 'b2', 'a3', 'b3');
  assert.equal(bench.serveAll(2), 'a1 b1');
  bench.finish('a1');
  assert.equal(bench.serveAll(3), 'a2 a3 b2');
});

test('slots that nobody else waited for cost nothing', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 3));
  assert.equal(bench.serveAll(), 'a1 a2 a3');
  bench.pass(600);
  bench.finish('a1', 'a2', 'a3');
  bench.wait('b1', 'b2', 'a4', 'a5');
  assert.equal(bench.serveAll(), 'b1 a4 b2 a5');
});

test('an account that comes begins at the clock, not at zero', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 99));
  bench.runEach(1, 60);
  bench.wait(...names('b', 1, 99));
  assert.equal(bench.runEach(1, 6), 'a61 b1 a62 b2 a63 b3');
});

test('of two that come at the same clock, the first to come is served first', () => {
  const bench = new Bench();
  bench.wait('b1', 'a1', 'c1');
  assert.equal(bench.serveAll(), 'b1 a1 c1');
});

test('a stream of accounts with one order each takes turns with an account that stays', () => {
  const bench = new Bench({ slots: 1 });
  bench.wait(...names('a', 1, 99), 'newcomer-a1');
  let resident = 0;
  for (let turn = 0; turn < 40; turn++) {
    const name = bench.serve() ?? '';
    if (name.startsWith('newcomer')) bench.wait(`newcomer-${'x'.repeat(turn + 1)}1`);
    else resident++;
    bench.pass(1);
    bench.finish(name);
  }
  assert.equal(resident, 20);
});

test('an account that waits in vain is served first for at most a quarter of an hour of all slots', () => {
  const bench = new Bench({ slots: 1 });
  bench.wait('hog1');
  bench.serve();
  bench.wait(...names('a', 1, 9999));
  bench.pass(4 * 3600);
  bench.finish('hog1');
  bench.wait(...names('b', 1, 9999));
  const served = bench.runEach(1, 1000).split(' ');
  const alone = served.findIndex((name) => name.startsWith('b'));
  assert.ok(alone >= 890 && alone <= 910, String(alone));
});

test('an account that leaves and returns still owes what it used', () => {
  const bench = new Bench();
  bench.wait(...names('a', 1, 2), ...names('b', 1, 99));
  assert.equal(bench.serveAll(3), 'a1 b1 a2');
  bench.pass(60);
  bench.finish('a1', 'a2', 'b1');
  bench.wait('a3');
  // It used 120 s of slot time and b 60 s; the clock stands in between.
  assert.match(bench.runEach(1, 20), /^(b\d+ ){19}b\d+$/);
});

test('an account that was away gains nothing by it', () => {
  const bench = new Bench();
  bench.wait('b1', ...names('a', 1, 99));
  bench.runEach(1, 61);
  bench.wait(...names('b', 2, 99));
  const served = bench.runEach(1, 20);
  assert.equal(served.match(/b/g)?.length, 10);
});

test('thousands of idle accounts do not fill the memory, and do not make a debtor forgotten', () => {
  const bench = new Bench();
  bench.wait('a1', 'a2', ...names('b', 1, 9));
  bench.serveAll(3);
  bench.pass(60);
  bench.finish('a1', 'a2', 'b1');
  for (let account = 0; account < 30_000; account++) {
    bench.wait(`idle-${account}-1`);
    bench.queue.remove(bench.order(`idle-${account}-1`));
  }
  assert.ok(bench.queue.accounts <= 10_002, String(bench.queue.accounts));
  bench.wait('a3');
  assert.match(bench.runEach(1, 8), /^(b\d+ ){7}b\d+$/);
});

test('a clock that is set, back or forward, charges nobody', () => {
  for (const [setTo, what] of [
    [-86_400_000, 'back'],
    [86_400_000, 'forward'],
  ] as const) {
    const bench = new Bench();
    bench.wait('a1', ...names('b', 1, 9));
    assert.equal(bench.serve(), 'a1');
    bench.setClock(setTo);
    bench.pass(9);
    bench.finish('a1');
    bench.wait(...names('a', 2, 9));
    // Of a day, at most two seconds are charged.
    const served = bench.runEach(10, 6);
    assert.ok(served.indexOf('a') < 7, `${what}: ${served}`);
  }
});

test('an account at its share of the slots is passed over while another waits', () => {
  const bench = new Bench({ slots: 4, shareMax: 0.5 });
  bench.wait(...names('a', 1, 4), 'b1');
  assert.equal(bench.serveAll(3), 'a1 b1 a2');
  assert.equal(bench.serve(), 'a3');
  bench.wait('c1');
  assert.equal(bench.serve(), 'c1');
});

test('an order that returns takes its old place in its queue', () => {
  const bench = new Bench();
  bench.wait('a1', 'a2', 'a3');
  bench.serve();
  bench.finish('a1');
  bench.wait('a1');
  assert.equal(bench.serveAll(), 'a1 a2 a3');
});

test('removing an order from the middle leaves the others in order', () => {
  const bench = new Bench();
  bench.wait('a1', 'a2', 'a3', 'b1');
  bench.queue.remove(bench.order('a2'));
  bench.queue.remove(bench.order('b1'));
  bench.queue.remove(bench.order('b1'));
  assert.equal(bench.queue.size, 2);
  assert.equal(bench.serveAll(), 'a1 a3');
});
