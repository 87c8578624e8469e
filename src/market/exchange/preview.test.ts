import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { PreviewWalk } from './preview-market.ts';

const bounds = { floor: 1e9, ceiling: 100e9 };

/** Hourly levels over many days. */
function walk(seed: number, hours: number): number[] {
  const preview = new PreviewWalk(bounds, null, seededRandom(seed), 0);
  return Array.from({ length: hours }, (_, hour) => {
    preview.tick((hour + 1) * 3_600_000);
    return preview.level;
  });
}

test('the same seed gives the same walk, another seed a different one', () => {
  assert.deepEqual(walk(1, 50), walk(1, 50));
  assert.notDeepEqual(walk(1, 50), walk(2, 50));
});

test('the walk begins at the geometric mean of its bounds and keeps returning to it', () => {
  assert.equal(new PreviewWalk(bounds, null, seededRandom(1), 0).level, 10e9);
  const mean = walk(3, 5000).reduce((sum, level) => sum + Math.log(level / 10e9), 0) / 5000;
  assert.ok(Math.abs(mean) < 0.05);
});

test('the walk stays within its bounds, in whole nano-dollars', () => {
  for (const level of walk(4, 5000)) {
    assert.ok(Number.isInteger(level) && level >= bounds.floor && level <= bounds.ceiling);
  }
});

test('the walk continues from the given level', () => {
  assert.equal(new PreviewWalk(bounds, 42e9, seededRandom(1), 0).level, 42e9);
});

test('a floor of 0 gives a price above 0', () => {
  assert.ok(new PreviewWalk({ floor: 0, ceiling: 100e9 }, null, seededRandom(1), 0).level > 0);
});

test('without elapsed time, or when the clock steps back, the price stays', () => {
  const preview = new PreviewWalk(bounds, null, seededRandom(1), 1000);
  assert.equal(preview.tick(1000), false);
  assert.equal(preview.tick(0), false);
});
