import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { ToldChances } from './reliability.ts';

const near = (actual: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} instead of ${expected}`);

test('tenths and Brier score are those of a naive model that weighs each order by its age', () => {
  const random = seededRandom(4);
  const told = new ToldChances();
  const all = Array.from({ length: 3000 }, () => {
    const [chance, started] = [random.next(), random.next() < 0.6];
    told.learn(chance, started);
    return { chance, started };
  });
  const weight = (at: number) => (1 - 1 / 17_280) ** (all.length - 1 - at);
  const sum = (of: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one, at) => total + weight(at) * of(one), 0);
  const { withinS, orders, brier, tenths } = told.of(60);
  assert.equal(withinS, 60);
  near(
    orders,
    sum(() => 1),
  );
  near(brier, sum(({ chance, started }) => (chance - Number(started)) ** 2) / orders);
  assert.equal(tenths.length, 10);
  for (const [tenth, told] of tenths.entries()) {
    const isIn = (chance: number) => Number(Math.floor(chance * 10) === tenth);
    near(
      told.orders,
      sum(({ chance }) => isIn(chance)),
    );
    near(told.said, sum(({ chance }) => isIn(chance) * chance) / told.orders);
    near(told.came, sum(({ chance, started }) => isIn(chance) * Number(started)) / told.orders);
  }
});

test('with fewer than thirty orders a tenth is left out, and the Brier score is unknown', () => {
  const told = new ToldChances();
  for (let order = 0; order < 29; order++) told.learn(0.95, true);
  assert.deepEqual([told.of(10).brier, told.of(10).tenths], [null, []]);
  for (let order = 0; order < 2; order++) told.learn(1, true);
  const { brier, tenths } = told.of(10);
  assert.ok(brier !== null && brier < 0.003);
  assert.equal(tenths.length, 1);
});

test('a restart continues with the same figures', () => {
  const told = new ToldChances();
  for (let order = 0; order < 100; order++) told.learn(order / 100, order % 3 === 0);
  const state = JSON.parse(JSON.stringify(told.state()));
  assert.deepEqual(new ToldChances(state).of(10), told.of(10));
});
