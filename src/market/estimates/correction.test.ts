import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { type Correction, CountedOutcomes, correctedChance, correctedCurve, HORIZONS_S } from './correction.ts';

const chances = Array.from({ length: 1001 }, (_, at) => at / 1000);

/** Outcomes of so many orders. As many start as `share` says for what the walk gave. */
function learned(orders: number, share: (chance: number) => number, random: Random = seededRandom(3)): CountedOutcomes {
  const outcomes = new CountedOutcomes();
  for (let order = 0; order < orders; order++) {
    const chance = random.next();
    outcomes.learn(chance, random.next() < share(chance));
  }
  return outcomes;
}

const near = (actual: number, expected: number, by: number) =>
  assert.ok(Math.abs(actual - expected) <= by, `${actual} instead of ${expected}`);

test('without outcomes nothing is corrected, and without a correction nothing at all', () => {
  for (const correction of [[], new CountedOutcomes().correction])
    for (const chance of chances) near(correctedChance(chance, correction), chance, 1e-5);
});

test('chances that came as often as the walk said stay about as they are', () => {
  const { correction } = learned(5000, (chance) => chance);
  for (const chance of chances) near(correctedChance(chance, correction), chance, 0.08);
});

test('chances that the walk gives too low are raised to what happened', () => {
  const share = (chance: number) => Math.sqrt(chance);
  const { correction } = learned(5000, share);
  for (const chance of [0.05, 0.15, 0.35, 0.5, 0.75, 0.95])
    near(correctedChance(chance, correction), share(chance), 0.08);
});

test('the correction is the isotonic regression of the shares of the bins', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 30; round++) {
    const outcomes = learned(150, () => random.next(), random);
    const bins = outcomes.state().map(([orders, , started], bin) => {
      const center = priorOf(bin);
      return { orders: orders + 2, started: started + 2 * center };
    });
    const shares = isotonic(bins);
    for (const [at, [, logOdds]] of outcomes.correction.entries())
      near(1 / (1 + Math.exp(-logOdds)), shares[at] ?? Number.NaN, 1e-5);
  }
});

test('a higher chance is never corrected to a lower one, and no chance falls with time, whatever came', () => {
  const random = seededRandom(5);
  for (let round = 0; round < 30; round++) {
    const corrections = HORIZONS_S.map(() => learned(100, () => random.next(), random).correction);
    for (const correction of corrections) assertRises(chances.map((chance) => correctedChance(chance, correction)));
    const curve = chances.map((chance, at) => ({ withinS: at, chance }));
    const corrected = correctedCurve(curve, corrections);
    assertRises(corrected.map(({ chance }) => chance));
    assert.ok(corrected.every(({ chance }) => chance >= 0 && chance <= 1));
  }
});

test('up to ten seconds and from five minutes on one correction holds, and both are mixed between', () => {
  const [raised, kept] = [learned(5000, Math.sqrt).correction, new CountedOutcomes().correction];
  const within = (withinS: number, corrections: readonly Correction[]) =>
    correctedCurve([{ withinS, chance: 0.25 }], corrections)[0]?.chance ?? Number.NaN;
  for (const withinS of [0.1, 10]) near(within(withinS, [raised, kept, kept]), correctedChance(0.25, raised), 1e-9);
  for (const withinS of [300, 3600]) near(within(withinS, [kept, kept, raised]), correctedChance(0.25, raised), 1e-9);
  near(within(Math.sqrt(600), [raised, kept, kept]), (correctedChance(0.25, raised) + 0.25) / 2, 1e-5);
});

test('four hours of other outcomes replace what was learned', () => {
  const outcomes = learned(5000, () => 0);
  const random = seededRandom(9);
  for (let order = 0; order < 3 * 2880; order++) outcomes.learn(random.next(), true);
  assert.ok(correctedChance(0.5, outcomes.correction) > 0.9);
});

test('outcomes count as those of a naive model that weighs each by its age', () => {
  const random = seededRandom(2);
  const outcomes = new CountedOutcomes();
  const all: boolean[] = [];
  for (let order = 0; order < 2000; order++) {
    all.push(random.next() < 0.3);
    outcomes.learn(0.25, all.at(-1) ?? false);
  }
  const weights = all.map((_, at) => (1 - 1 / 2880) ** (all.length - 1 - at));
  const sum = (counted: readonly number[]) => counted.reduce((total, weight) => total + weight, 0);
  const [orders, , started] = outcomes.state().find(([count]) => count > 0) ?? [];
  near(orders ?? 0, sum(weights), 1e-6);
  near(started ?? 0, sum(weights.filter((_, at) => all[at])), 1e-6);
});

test('a restart continues with the same correction, and its state has the same size however much was learned', () => {
  const outcomes = learned(5000, (chance) => chance ** 2);
  const state = JSON.parse(JSON.stringify(outcomes.state()));
  assert.deepEqual(new CountedOutcomes(state).correction, outcomes.correction);
  assert.equal(state.flat().length, new CountedOutcomes().state().flat().length);
});

function assertRises(values: readonly number[]): void {
  const falls = values.findIndex((value, at) => value < (values[at - 1] ?? 0) - 1e-12);
  assert.equal(falls, -1);
}

/** The chance that a bin counts in advance: that of a bin without outcomes. */
function priorOf(bin: number): number {
  const logOdds = new CountedOutcomes().correction[bin]?.[1] ?? Number.NaN;
  return 1 / (1 + Math.exp(-logOdds));
}

/** Naively: the greatest, over all beginnings up to a bin, of the least share over all ends from it on. */
function isotonic(bins: readonly { readonly orders: number; readonly started: number }[]): number[] {
  const share = (from: number, to: number) => {
    const those = bins.slice(from, to + 1);
    return those.reduce((sum, { started }) => sum + started, 0) / those.reduce((sum, { orders }) => sum + orders, 0);
  };
  return bins.map((_, bin) => {
    const least = bins.slice(0, bin + 1).map((_, from) => {
      return Math.min(...bins.slice(bin).map((_, ahead) => share(from, bin + ahead)));
    });
    return Math.max(...least);
  });
}
