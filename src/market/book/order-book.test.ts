import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { NOT_RESTING, OrderBook, type Ranked } from './order-book.ts';

class Item implements Ranked {
  slot = NOT_RESTING;
  readonly name: string;
  price: number;
  seq: number;

  constructor(name: string, price: number, seq: number) {
    this.name = name;
    this.price = price;
    this.seq = seq;
  }
}

/** Reads a book drawn as a table: one order per row, `name price`, in order of arrival. */
function draw(table: string): { book: OrderBook<Item>; item: (name: string) => Item } {
  const book = new OrderBook<Item>();
  const items = new Map<string, Item>();
  for (const [seq, row] of table.trim().split('\n').entries()) {
    const [name = '', price] = row.trim().split(/\s+/);
    const item = new Item(name, Number(price), seq);
    items.set(name, item);
    book.insert(item);
  }
  return {
    book,
    item(name) {
      const item = items.get(name);
      assert.ok(item);
      return item;
    },
  };
}

const names = (book: OrderBook<Item>) => [...book].map((item) => item.name).join(' ');

const FIVE = `
  ann   3
  ben   5
  cid   3
  dan   9
  eve   5
`;

// Spec 1-13
test('orders rank by price, then by arrival', () => {
  assert.equal(names(draw(FIVE).book), 'dan ben eve ann cid');
});

test('a book counts what is at a price or above', () => {
  const { book } = draw(FIVE);
  assert.deepEqual(
    [0, 3, 4, 5, 6, 9, 10].map((price) => book.countAtOrAbove(price)),
    [5, 5, 3, 3, 1, 1, 0],
  );
  assert.equal(new OrderBook<Item>().countAtOrAbove(1), 0);
});

test('the count at a price agrees with the positions in a book of thousands', () => {
  const random = seededRandom(3);
  const book = new OrderBook<Item>();
  const prices = Array.from({ length: 5000 }, () => Math.floor(random.next() * 300));
  for (const [seq, price] of prices.entries()) book.insert(new Item(`${seq}`, price, seq));
  for (let price = -1; price <= 301; price++) {
    assert.equal(book.countAtOrAbove(price), prices.filter((other) => other >= price).length, `at ${price}`);
  }
});

test('every order knows its position', () => {
  const { book, item } = draw(FIVE);
  assert.deepEqual(
    ['dan', 'ben', 'eve', 'ann', 'cid'].map((name) => book.position(item(name))),
    [1, 2, 3, 4, 5],
  );
});

test('a repriced order joins behind those already resting at its new price', () => {
  const { book, item } = draw(FIVE);
  const dan = item('dan');
  book.remove(dan);
  dan.price = 5;
  dan.seq = 5;
  book.insert(dan);
  assert.equal(names(book), 'ben eve dan ann cid');
});

test('an order that returns with its old arrival takes its old place', () => {
  const { book, item } = draw(FIVE);
  book.remove(item('ben'));
  book.insert(item('ben'));
  assert.equal(names(book), 'dan ben eve ann cid');
});

test('the best order is taken first, until none is left', () => {
  const { book } = draw(FIVE);
  const taken: string[] = [];
  for (let best = book.best(); best; best = book.best()) {
    taken.push(best.name);
    book.remove(best);
  }
  assert.equal(taken.join(' '), 'dan ben eve ann cid');
  assert.equal(book.best(), null);
});

test('the k-th position returns the k-th best, and null beyond the ends', () => {
  const { book } = draw(FIVE);
  assert.deepEqual(
    [0, 1, 3, 5, 6].map((place) => book.at(place)?.name ?? null),
    [null, 'dan', 'eve', 'cid', null],
  );
});

test('removing an order that does not rest returns false and changes nothing', () => {
  const { book } = draw(FIVE);
  assert.equal(book.remove(new Item('nobody', 5, 99)), false);
  assert.equal(book.size, 5);
});

test('prices up to 10^18 keep their order', () => {
  assert.equal(names(draw('low 999999999999999872\nhigh 1000000000000000000').book), 'high low');
});

/** The simplest book: a sorted array. */
class Model {
  readonly items: Item[] = [];

  insert(item: Item): void {
    this.items.push(item);
    this.items.sort((a, b) => b.price - a.price || a.seq - b.seq);
  }

  remove(item: Item): void {
    this.items.splice(this.items.indexOf(item), 1);
  }
}

for (const { seed, prices, steps, growth } of [
  { seed: 1, prices: 1e9, steps: 4000, growth: 0.6 },
  { seed: 2, prices: 5, steps: 4000, growth: 0.6 },
  { seed: 3, prices: 1, steps: 4000, growth: 0.55 },
  { seed: 4, prices: 50, steps: 8000, growth: 0.5 },
]) {
  test(`a random run agrees with a sorted array (seed ${seed}, ${prices} prices)`, () => {
    const random = seededRandom(seed);
    const book = new OrderBook<Item>();
    const model = new Model();
    for (let step = 0; step < steps; step++) {
      // Growing in the first half and shrinking to nothing in the second reaches every split and every merge.
      change(book, model, random, { seq: step, prices, growth: step < steps / 2 ? growth + 0.2 : 1 - growth - 0.2 });
      if (step % 16 === 0) compare(book, model, random);
    }
    while (model.items.length > 0) {
      const best = book.best();
      assert.equal(best, model.items.shift());
      if (best) book.remove(best);
      if (model.items.length % 64 === 0) compare(book, model, random);
    }
    assert.equal(book.size, 0);
  });
}

test('positions are right after each removal from the middle of a book of thousands', () => {
  const book = new OrderBook<Item>();
  const items = Array.from({ length: 3000 }, (_, seq) => new Item('', 1, seq));
  for (const item of items) book.insert(item);
  const last = items.at(-1);
  for (let removed = 1; removed <= 2000; removed++) {
    const [item] = items.splice(500, 1);
    if (item) book.remove(item);
    if (last) assert.equal(book.position(last), 3000 - removed);
  }
});

test('a book of three levels agrees with a sorted array while it empties in random order', () => {
  const random = seededRandom(5);
  const book = new OrderBook<Item>();
  const items = Array.from({ length: 20_000 }, (_, seq) => new Item('', Math.floor(random.next() * 500), seq));
  for (const item of items) book.insert(item);
  items.sort((a, b) => b.price - a.price || a.seq - b.seq);
  while (items.length > 0) {
    assert.deepEqual([...book], items);
    items.forEach((item, index) => {
      if (index % 97 === 0) assert.equal(book.position(item), index + 1);
    });
    const leaving = new Set(items.filter(() => random.next() < 0.3));
    for (const item of leaving) book.remove(item);
    items.splice(0, items.length, ...items.filter((item) => !leaving.has(item)));
  }
  assert.equal(book.size, 0);
});

function change(
  book: OrderBook<Item>,
  model: Model,
  random: Random,
  { seq, prices, growth }: { seq: number; prices: number; growth: number },
): void {
  const price = Math.floor(random.next() * prices);
  const chosen = pick(model.items, random);
  if (!chosen || random.next() < growth) {
    const item = new Item(`order-${seq}`, price, seq);
    book.insert(item);
    model.insert(item);
    return;
  }
  assert.equal(book.remove(chosen), true);
  model.remove(chosen);
  const fate = random.next();
  if (fate < 0.5) return;
  if (fate < 0.8) {
    chosen.price = price;
    chosen.seq = seq;
  }
  book.insert(chosen);
  model.insert(chosen);
}

function compare(book: OrderBook<Item>, model: Model, random: Random): void {
  assert.equal(book.size, model.items.length);
  assert.deepEqual([...book], model.items);
  assert.equal(book.best(), model.items[0] ?? null);
  const chosen = pick(model.items, random);
  if (chosen) assert.equal(book.position(chosen), model.items.indexOf(chosen) + 1);
  const place = Math.floor(random.next() * (model.items.length + 2));
  assert.equal(book.at(place), model.items[place - 1] ?? null);
}

function pick(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random.next() * items.length)];
}
