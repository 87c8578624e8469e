import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Level } from './level.ts';

const settings = { bounds: { floor: 0, ceiling: 100e9 }, timeConstantMs: 20_000 };

/** A level of 1 USD whose target is set by hand; it thaws at 0 ms. */
function drawn(
  start = 1e9,
  changes: Partial<typeof settings> = {},
): { level: Level; target: { price: number; strain: number } } {
  const target = { price: start, strain: 0 };
  const level = new Level({ ...settings, ...changes }, start, 0, () => target);
  level.freeze(false, 0);
  return { level, target };
}

/** Sets the target after counting the old one, as a market does. */
function aim({ level, target }: ReturnType<typeof drawn>, price: number, nowMs: number): void {
  level.count(nowMs);
  target.price = price;
}

test('a level at its target stands still', () => {
  const { level } = drawn();
  assert.equal(level.tick(1000), false);
  assert.equal(level.published, 1e9);
});

// Spec 1-6, 4.9-39
test('in one time constant the level covers 63 % of the way', () => {
  const market = drawn(1e9);
  aim(market, 1.5e9, 0);
  for (let second = 1; second <= 20; second++) market.level.tick(second * 1000);
  assert.equal(market.level.published, Math.round(1e9 + 0.5e9 * (1 - Math.exp(-1))));
});

test('the level falls all the way to 0', () => {
  const market = drawn(1e9);
  aim(market, 0, 0);
  for (let second = 1; second <= 800; second++) market.level.tick(second * 1000);
  assert.equal(market.level.published, 0);
});

test('a bid counts for the time it rests, wherever the tick falls', () => {
  const early = drawn();
  aim(early, 1.5e9, 0);
  aim(early, 1e9, 25);
  early.level.tick(1000);
  const aroundTheTick = drawn();
  aim(aroundTheTick, 1.5e9, 975);
  aroundTheTick.level.tick(1000);
  assert.equal(aroundTheTick.level.published, early.level.published);
  assert.ok(early.level.published < 1.001e9);
});

test('an instant counts for at most eight times the level', () => {
  const absurd = drawn(10e9);
  aim(absurd, 1e18, 0);
  absurd.level.tick(1000);
  const eightfold = drawn(10e9);
  aim(eightfold, 80e9, 0);
  eightfold.level.tick(1000);
  assert.equal(absurd.level.published, eightfold.level.published);
  const less = drawn(10e9);
  aim(less, 79e9, 0);
  less.level.tick(1000);
  assert.ok(less.level.published < absurd.level.published);
});

test('from 0 the level can still rise, by a hundredth of the ceiling at most', () => {
  const market = drawn(0);
  aim(market, 1e18, 0);
  market.level.tick(1000);
  assert.equal(market.level.published, Math.round((100e9 / 100) * (1 - Math.exp(-1 / 20))));
});

test('a late tick moves the level no further than two seconds do', () => {
  const late = drawn();
  aim(late, 1.5e9, 0);
  late.level.tick(60_000);
  const two = drawn();
  aim(two, 1.5e9, 0);
  two.level.tick(2000);
  assert.equal(late.level.published, two.level.published);
});

test('the level stays between floor and ceiling', () => {
  const market = drawn(5e9, { bounds: { floor: 4e9, ceiling: 6e9 } });
  aim(market, 100e9, 0);
  for (let second = 1; second <= 200; second++) market.level.tick(second * 1000);
  assert.equal(market.level.published, 6e9);
  aim(market, 0, 200_000);
  for (let second = 201; second <= 400; second++) market.level.tick(second * 1000);
  assert.equal(market.level.published, 4e9);
});

test('a frozen level stands still', () => {
  const market = drawn();
  aim(market, 2e9, 0);
  market.level.freeze(true, 500);
  assert.equal(market.level.frozen, true);
  assert.equal(market.level.tick(1000), false);
  assert.equal(market.level.tick(60_000), false);
  assert.equal(market.level.published, 1e9);
});

test('a level that thaws counts the time before and after the freeze, and none in between', () => {
  const frozen = drawn();
  aim(frozen, 2e9, 0);
  frozen.level.freeze(true, 500);
  frozen.level.freeze(false, 120_000);
  frozen.level.tick(120_500);
  const never = drawn();
  aim(never, 2e9, 0);
  never.level.tick(1000);
  assert.equal(frozen.level.published, never.level.published);
});

test('a clock that steps back adds no time', () => {
  const market = drawn();
  aim(market, 2e9, 1000);
  market.level.count(400);
  assert.equal(market.level.tick(400), false);
  assert.equal(market.level.tick(1400), true);
});

test('a tick without time since the last one moves nothing', () => {
  const market = drawn();
  aim(market, 2e9, 0);
  market.level.tick(1000);
  assert.equal(market.level.tick(1000), false);
});

test('a strain that chance does not explain makes the level hurry, and it slows down again', () => {
  const [calm, strained, eased] = [drawn(), drawn(), drawn()];
  for (const market of [calm, strained, eased]) aim(market, 1.5e9, 0);
  calm.target.strain = -2.7;
  strained.target.strain = -2.8;
  eased.target.strain = 2.8;
  for (const market of [calm, strained, eased]) market.level.tick(1000);
  assert.equal(calm.level.published, Math.round(1e9 + 0.5e9 * (1 - Math.exp(-1 / 20))));
  assert.equal(strained.level.published, Math.round(1e9 + 0.5e9 * (1 - Math.exp(-15 / 20))));
  eased.target.strain = 0;
  for (const market of [strained, eased]) market.level.tick(2000);
  assert.ok(eased.level.published < strained.level.published);
  assert.equal(eased.level.published, Math.round(1.5e9 - 0.5e9 * Math.exp(-(16 + 14 * Math.exp(-0.1)) / 20)));
});

test('strain is integrated like the target: a moment of it makes no level hurry', () => {
  const market = drawn();
  aim(market, 1.5e9, 0);
  market.target.strain = 50;
  market.level.count(50);
  market.target.strain = 0;
  market.level.tick(1000);
  assert.equal(market.level.published, Math.round(1e9 + 0.5e9 * (1 - Math.exp(-1 / 20))));
});
