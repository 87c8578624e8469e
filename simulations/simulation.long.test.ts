/** What must hold on simulated days that are long: clear rates and what attacks cost. Seeded, so that a failure can be repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { attacks } from './attacks.ts';
import { TradingFloor } from './floor.ts';
import { figuresOf } from './measures.ts';
import { levelsAtRest, underAttack } from './requirements.ts';
import { play } from './scenarios.ts';
import { startTraders } from './traders.ts';

// A market of eight slots resolves one or two locks per window, so measuring it takes hours.
for (const [slots, warmUpMs, measuredMs] of [
  [8, 2 * HOUR_MS, 14 * HOUR_MS],
  [32, HOUR_MS, 3 * HOUR_MS],
  [128, HOUR_MS / 2, HOUR_MS / 2],
  [512, HOUR_MS / 2, HOUR_MS / 3],
] as const) {
  for (const [load, lockShare] of [
    [2, 0.3],
    [2, 1],
    [1.2, 0.5],
  ] as const) {
    const name = `${slots} slots, load ${load}, ${lockShare * 100} % locks`;
    test(`under steady overload the clear rate is on target: ${name}`, () => {
      const scenario = { name, slots, lockShare, load: () => load };
      const { clearRate } = play(scenario, 1, { warmUpMs, measuredMs }).figures;
      assert.ok(Math.abs(clearRate - 0.95) <= 0.02, `clear rate ${clearRate}`);
    });
  }
}

test('the first hours of a small market, and those after a quiet night, are not far from the target', () => {
  for (const quietMs of [0, 8 * HOUR_MS]) {
    const scenario = { name: '', slots: 8, lockShare: 0.5, load: (ms: number) => (ms < quietMs ? 0.5 : 1.5) };
    const times = { warmUpMs: quietMs + 10 * MINUTE_MS, measuredMs: 4 * HOUR_MS };
    const { clearRate } = play(scenario, 1, times).figures;
    assert.ok(clearRate > 0.89 && clearRate < 0.97, `clear rate ${clearRate} after ${quietMs} ms`);
  }
});

test('when all orders are very short, locks still start, at a quote near the level', () => {
  const slots = 8;
  const floor = new TradingFloor({ seed: 1, slots });
  startTraders(floor, { slots, lockShare: 0.3, load: () => 1.5, runsMs: 100 });
  floor.run(5 * MINUTE_MS);
  floor.resetMeasures();
  floor.run(5 * MINUTE_MS);
  const { clearRate, level, quote } = figuresOf(floor.measures, slots);
  assert.ok(clearRate > 0.93, `clear rate ${clearRate}`);
  assert.ok(level > 0.5 && quote > level && quote < 1.2 * level, `quote ${quote} at a level of ${level}`);
});

test('no attack that costs at most a hundredth of the revenue moves level, quote or the price of others much', () => {
  const words = ['16 one-token', 'up for 70 of', 'cancelled and sent again', 'share', '20 accounts', 'the last 2 s'];
  const tried = attacks.filter(({ name }) => words.some((word) => name.includes(word)));
  const day = { slots: 64, seed: 1, measuredMs: 20 * MINUTE_MS };
  for (const { name, figure, target, holds } of underAttack(day, tried)) {
    assert.notEqual(holds, false, `${name}: ${figure}; target: ${target}`);
  }
});

test('bids of a new account that expire, while eight slots are busy, do not count as orders to come', () => {
  const tried = attacks.filter(({ name }) => name === '16 one-token orders a second');
  const [attacked] = underAttack({ slots: 8, seed: 1, measuredMs: 2 * HOUR_MS }, tried);
  assert.equal(attacked?.holds, true, attacked?.figure);
});

test('twenty short jobs count as one long one, and the level clears the flow', () => {
  const { mean, clears, split } = levelsAtRest(64, 1);
  assert.ok(Math.abs(split / mean - 1) < 0.05, `${split} for ${mean}`);
  assert.ok(Math.abs(mean / clears - 1) < 0.05, `${mean}, and the flow clears at ${clears}`);
});
