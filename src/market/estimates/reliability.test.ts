import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { ForecastScores } from './reliability.ts';

const near = (actual: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} instead of ${expected}`);

test('tenths and Brier score are those of a naive model that weighs each order by its age', () => {
  const random = seededRandom(4);
  const scores = new ForecastScores();
  const all = Array.from({ length: 3000 }, () => {
    const [chance, started] = [random.next(), random.next() < 0.6];
    scores.learn(chance, started);
    return { chance, started };
  });
  const weight = (at: number) => (1 - 1 / 17_280) ** (all.length - 1 - at);
  const sum = (of: (one: (typeof all)[number]) => number) =>
    all.reduce((total, one, at) => total + weight(at) * of(one), 0);
  const { withinS, orders, brier, tenths } = scores.of(60);
  assert.equal(withinS, 60);
  near(
    orders,
    sum(() => 1),
  );
  near(brier, sum(({ chance, started }) => (chance - Number(started)) ** 2) / orders);
  assert.equal(tenths.length, 10);
  for (const [tenth, scores] of tenths.entries()) {
    const isIn = (chance: number) => Number(Math.floor(chance * 10) === tenth);
    near(
      scores.orders,
      sum(({ chance }) => isIn(chance)),
    );
    near(scores.said, sum(({ chance }) => isIn(chance) * chance) / scores.orders);
    near(scores.came, sum(({ chance, started }) => isIn(chance) * Number(started)) / scores.orders);
  }
});

test('with fewer than thirty orders a tenth is left out, and the Brier score is unknown', () => {
  const scores = new ForecastScores();
  for (let order = 0; order < 29; order++) scores.learn(0.95, true);
  assert.deepEqual([scores.of(10).brier, scores.of(10).tenths], [null, []]);
  for (let order = 0; order < 2; order++) scores.learn(1, true);
  const { brier, tenths } = scores.of(10);
  assert.ok(brier !== null && brier < 0.003);
  assert.equal(tenths.length, 1);
});

test('a restart continues with the same figures', () => {
  const scores = new ForecastScores();
  for (let order = 0; order < 100; order++) scores.learn(order / 100, order % 3 === 0);
  const state = JSON.parse(JSON.stringify(scores.state()));
  assert.deepEqual(new ForecastScores(state).of(10), scores.of(10));
});
