import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { BodySweep, SWEEP_MS } from './body-sweep.ts';
import type { KeptBody, Shelf } from './ports.ts';

interface Kept extends KeptBody {
  readonly expiresAtMs: number;
  readonly inUse?: boolean;
}

const far = Number.MAX_SAFE_INTEGER;
function kept(id: string, bytes = 10, expiresAtMs = far, accountId = 'a'): Kept {
  return { id, bytes, expiresAtMs, accountId, sinceMs: Number(id) };
}

/** A sweep over two kinds of bodies, each the oldest first, and what it removed, in order. */
function cellar(results: Kept[], storedBytesMax = 1_000_000, files: Kept[] = []) {
  const clock = new ManualClock();
  const done: string[] = [];
  let failures = 0;
  const all = () => [...results, ...files];
  const sizeOf = (accountId: string) =>
    all()
      .filter((each) => each.accountId === accountId)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const shelf = (bodies: Kept[]): Shelf => ({
    expired: async (nowMs, limit) => {
      if (failures-- > 0) throw new Error('the database is gone');
      return bodies.filter(({ expiresAtMs }) => expiresAtMs <= nowMs).slice(0, limit);
    },
    oldest: async (accountId, limit) =>
      bodies.filter((each) => each.accountId === accountId && !each.inUse).slice(0, limit),
    remove: async ({ id }) => {
      done.push(id);
      bodies.splice(
        bodies.findIndex((each) => each.id === id),
        1,
      );
    },
  });
  const sweep = new BodySweep({
    clock,
    log: silentLog,
    storedBytesMax,
    shelves: [shelf(results), shelf(files)],
    storage: {
      overfull: async (bytesMax, limit) =>
        [...new Set(all().map(({ accountId }) => accountId))]
          .map((accountId) => ({ accountId, bytes: sizeOf(accountId) }))
          .filter(({ bytes }) => bytes > bytesMax)
          .slice(0, limit),
    },
  });
  return { clock, results, files, done, sweep, fail: (times: number) => (failures = times) };
}

test('what is due is removed, of every kind, and the rest stays', async () => {
  const { clock, results, done } = cellar([kept('1', 10, 0), kept('2')], 1000, [kept('3'), kept('4', 10, 0)]);
  await clock.advance(SWEEP_MS - 1);
  assert.deepEqual(done, []);
  await clock.advance(1);
  assert.deepEqual(done, ['1', '4']);
  assert.equal(results.length, 1);
});

test('however much is due at once goes in one sweep', async () => {
  const { results, sweep } = cellar(Array.from({ length: 1234 }, (_, index) => kept(`${index}`, 1, 0)));
  await sweep.sweep();
  assert.equal(results.length, 0);
});

test('above the cap the oldest go, as many as it takes and no more, of that account alone', async () => {
  const others = [kept('x', 100, far, 'b')];
  const { results, sweep } = cellar([kept('1', 30), kept('2', 30), kept('3', 30), kept('4', 30), ...others], 100);
  await sweep.sweep();
  assert.deepEqual(
    results.map(({ id }) => id),
    ['2', '3', '4', 'x'],
  );
});

test('above the cap the oldest go, of whatever kind', async () => {
  const results = [kept('1', 30), kept('4', 30), kept('5', 30)];
  const { done, sweep } = cellar(results, 100, [kept('2', 30), kept('3', 30), kept('6', 30)]);
  await sweep.sweep();
  assert.deepEqual(done, ['1', '2', '3']);
});

test('an account whose bodies may not go is left above its cap', async () => {
  const { sweep, done } = cellar([kept('1', 30)], 10, [{ ...kept('2', 30), inUse: true }]);
  await sweep.sweep();
  assert.deepEqual(done, ['1']);
});

test('an account far above its cap is brought down step by step', async () => {
  const { results, sweep } = cellar(
    Array.from({ length: 450 }, (_, index) => kept(`${index}`, 10)),
    1000,
  );
  await sweep.sweep();
  assert.deepEqual([results.length, results[0]?.id], [100, '350']);
});

test('a sweep that fails is made up for by the next', async () => {
  const { clock, results, fail } = cellar([kept('1', 10, 0)]);
  fail(1);
  await clock.advance(SWEEP_MS);
  assert.equal(results.length, 1);
  await clock.advance(SWEEP_MS);
  assert.equal(results.length, 0);
});

test('nothing is swept after the close, and no timer is left', async () => {
  const { clock, results, sweep } = cellar([kept('1', 10, 0)]);
  sweep.close();
  await clock.advance(10 * SWEEP_MS);
  assert.deepEqual([results.length, clock.pending], [1, 0]);
});
