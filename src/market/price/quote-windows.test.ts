import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { QuoteWindows, type Reading, type StandingQuote } from './quote-windows.ts';

/** Ten-second windows over a price that the test sets, read at instants that the test sees. */
class WindowsBench {
  price: number | null = 50;
  readonly readAtMs: number[] = [];
  readonly latched: StandingQuote[] = [];
  readonly windows: QuoteWindows;

  constructor(start = 7, nowMs = 3000, seed = 1) {
    const read = (atMs: number): Reading | null => {
      this.readAtMs.push(atMs);
      return this.price === null ? null : { price: this.price, calibrated: true };
    };
    const latched = (quote: StandingQuote) => void this.latched.push(quote);
    const parts = { intervalMs: 10_000, bounds: { floor: 5, ceiling: 90 }, random: seededRandom(seed), read, latched };
    this.windows = new QuoteWindows(parts, start, nowMs);
  }
}

test('the first price, within the bounds, stands until the next multiple of the interval', () => {
  const { standing } = new WindowsBench(2).windows;
  assert.deepEqual(standing, { price: 5, calibrated: false, previousPrice: null, atMs: 3000, untilMs: 10_000 });
});

test('a window takes the median of ten readings of the previous one, and reports its price', () => {
  const bench = new WindowsBench();
  bench.windows.count(10_000);
  assert.equal(bench.readAtMs.length, 10);
  assert.deepEqual(bench.latched, [{ price: 50, calibrated: true, previousPrice: 7, atMs: 10_000, untilMs: 20_000 }]);
});

test('readings fall on different instants in each window and for each seed, and on the same for the same seed', () => {
  const instants = (seed: number) => {
    const bench = new WindowsBench(7, 3000, seed);
    for (let nowMs = 3000; nowMs <= 30_000; nowMs += 500) bench.windows.count(nowMs);
    assert.ok(bench.readAtMs.every((atMs) => atMs >= 3000 && atMs < 30_000));
    return bench.readAtMs.map((atMs) => atMs % 10_000);
  };
  const all = instants(1);
  assert.equal(new Set(all).size, 30);
  assert.deepEqual(instants(1), all);
  assert.notDeepEqual(instants(2), all);
});

test('a window is read in its last two seconds, and what was shown before moves nothing', () => {
  const bench = new WindowsBench();
  bench.price = 89;
  bench.windows.count(7999);
  assert.deepEqual(bench.readAtMs, []);
  bench.price = 50;
  bench.windows.count(10_000);
  assert.ok(bench.readAtMs.every((atMs) => atMs >= 8000 && atMs < 10_000));
  assert.equal(bench.windows.standing.price, 50);
});

test('a price shown for less than half of the readings moves nothing', () => {
  const bench = new WindowsBench();
  bench.windows.count(10_000);
  const sixth = new WindowsBench();
  sixth.windows.count((bench.readAtMs[5] ?? 0) + 0.001);
  sixth.price = 89;
  sixth.windows.count(10_000);
  assert.equal(sixth.windows.standing.price, 50);
});

test('in an interval shorter than two seconds the whole window is read', () => {
  const readAtMs: number[] = [];
  const read = (atMs: number): Reading => ({ price: readAtMs.push(atMs), calibrated: true });
  const parts = {
    intervalMs: 1000,
    bounds: { floor: 5, ceiling: 90 },
    random: seededRandom(1),
    read,
    latched: () => {},
  };
  new QuoteWindows(parts, 7, 3000).count(4000);
  assert.ok(readAtMs.every((atMs) => atMs >= 3000 && atMs < 4000));
  assert.equal(readAtMs.length, 10);
});

test('a latched price stays within the bounds', () => {
  const bench = new WindowsBench();
  bench.price = 1000;
  bench.windows.count(10_000);
  bench.price = 0;
  bench.windows.count(20_000);
  assert.deepEqual(
    bench.latched.map(({ price }) => price),
    [90, 5],
  );
});

test('while nothing can be read the price stays and the windows continue', () => {
  const bench = new WindowsBench();
  bench.price = null;
  bench.windows.count(10_000);
  bench.windows.count(20_000);
  assert.deepEqual(
    bench.latched.map(({ price, previousPrice, calibrated, atMs }) => [price, previousPrice, calibrated, atMs]),
    [
      [7, 7, false, 10_000],
      [7, 7, false, 20_000],
    ],
  );
});

test('windows that passed while the process slept are skipped', () => {
  const bench = new WindowsBench();
  bench.windows.count(1_234_567);
  assert.deepEqual(
    bench.latched.map(({ atMs, untilMs }) => [atMs, untilMs]),
    [[1_230_000, 1_240_000]],
  );
});

test('after the clock steps back the quote stands until its end is reached again', () => {
  const bench = new WindowsBench();
  bench.windows.count(12_000);
  bench.price = 80;
  bench.windows.count(1000);
  bench.windows.count(19_999);
  assert.equal(bench.latched.length, 1);
  bench.windows.count(20_000);
  assert.deepEqual(
    bench.latched.map(({ price, atMs, untilMs }) => [price, atMs, untilMs]),
    [
      [50, 10_000, 20_000],
      [80, 20_000, 30_000],
    ],
  );
});
