import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Level, type LevelReading } from './level.ts';

const settings = { bounds: { floor: 0, ceiling: 100e9 }, timeConstantMs: 20_000 };
const rest: LevelReading = { excess: 0, paid: null, slowness: 1 };

/** The level after so many seconds that all read the same. */
function after(seconds: number, reading: Partial<LevelReading>, start = 1e9, changes: Partial<typeof settings> = {}) {
  const level = new Level({ ...settings, ...changes }, start);
  for (let second = 0; second < seconds; second++) level.tick({ ...rest, ...reading }, 1000);
  return level.published;
}

test('a level without excess stands still, and says so', () => {
  assert.equal(new Level(settings, 1e9).tick(rest, 1000), false);
  assert.equal(after(100, {}), 1e9);
});

// Spec 1-6, 4.9-39
test('the level rises while more is asked for than there is and falls otherwise, by parts of itself', () => {
  assert.ok(after(1, { excess: 0.2 }) > 1e9 && after(1, { excess: -0.2 }) < 1e9);
  assert.ok(Math.abs(after(10, { excess: 0.2 }, 5e9) / after(10, { excess: 0.2 }, 1e9) - 5) < 1e-6);
  const way = (excess: number) => Math.log(after(1, { excess }) / 1e9);
  assert.ok(way(0.6) > 4 * way(0.2), 'a large excess counts for more than its share');
  assert.ok(Math.abs(way(0.2) + way(-0.2)) < 1e-6, 'it falls as fast as it rises');
});

test('a market with few starts and one with a longer time constant are slower', () => {
  const way = (level: number) => Math.log(level / 1e9);
  const usual = way(after(10, { excess: 0.2 }));
  assert.ok(Math.abs(way(after(10, { excess: 0.2, slowness: 4 })) / usual - 1 / 2) < 1e-3);
  assert.ok(Math.abs(way(after(10, { excess: 0.2 }, 1e9, { timeConstantMs: 40_000 })) / usual - 1 / 2) < 1e-3);
});

test('a market that nobody uses falls all the way to 0', () => {
  assert.equal(after(1200, { excess: -1 }), 0);
});

test('the level runs after a price that was paid, and not beyond it', () => {
  const rush = { excess: 0.6, paid: 2e9 };
  assert.ok(after(3, rush) > 1.2 * after(3, { excess: 0.6 }), `${after(3, rush)}`);
  const arrived = after(8, rush);
  assert.ok(arrived < 2e9, `${arrived}`);
  assert.ok(after(3, { excess: 0.6, paid: 1e18 }) < 2e9, 'no single second multiplies it');
});

test('it runs only where much more is asked for than there is', () => {
  for (const excess of [0, 0.2, -0.5]) assert.equal(after(5, { excess, paid: 9e9 }), after(5, { excess }));
  assert.equal(after(5, { excess: 0.6, paid: 1.2e9 }), after(5, { excess: 0.6 }), 'nor for a price that is near');
});

test('a market that is new or has been idle finds its price in seconds', () => {
  assert.ok(after(30, { excess: 0.1, paid: 2e9 }, 0) > 0.2e9);
  const level = new Level(settings, 1e9);
  for (let second = 0; second < 300; second++) level.tick({ ...rest, excess: -1 }, 1000);
  assert.ok(level.published < 1e6);
  for (let second = 0; second < 4; second++) level.tick({ ...rest, excess: 0.5, paid: 1e9 }, 1000);
  assert.ok(level.published > 0.3e9, `${level.published}`);
});

test('the level stays within its bounds, also when they become others', () => {
  assert.equal(after(300, { excess: 1 }), 100e9);
  assert.equal(after(300, { excess: -1 }, 1e9, { bounds: { floor: 5e8, ceiling: 100e9 } }), 5e8);
  const bounds = { floor: 0, ceiling: 100e9 };
  const level = new Level({ ...settings, bounds }, 50e9);
  bounds.ceiling = 20e9;
  assert.deepEqual([level.bound(), level.published, level.bound()], [true, 20e9, false]);
});

test('a late tick counts as two seconds at most', () => {
  const late = new Level(settings, 1e9);
  late.tick({ ...rest, excess: 0.5 }, 60_000);
  const two = new Level(settings, 1e9);
  two.tick({ ...rest, excess: 0.5 }, 2000);
  assert.equal(late.published, two.published);
});

test('a restart goes on from the exact level and its recent high, and from the row where they differ', () => {
  const level = new Level(settings, 3);
  level.tick({ ...rest, excess: 0.4 }, 1000);
  const state = level.state();
  const again = new Level(settings, level.published, state);
  assert.deepEqual(again.state(), state);
  assert.equal(new Level(settings, 5e9, state).published, 5e9);
});
