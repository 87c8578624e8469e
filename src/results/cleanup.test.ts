import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { CLEANUP_MS, RetentionCleanup } from './cleanup.ts';
import type { Retained, RetainedItem } from './ports.ts';

interface Kept extends RetainedItem {
  readonly expiresAtMs: number;
  /** It stays listed, whatever is deleted. */
  readonly stuck?: boolean;
  readonly inUse?: boolean;
}

const far = Number.MAX_SAFE_INTEGER;
function kept(id: string, bytes = 10, expiresAtMs = far, accountId = 'a'): Kept {
  return { id, bytes, expiresAtMs, accountId, sinceMs: Number(id) };
}

/** A cleanup of two kinds of items, each oldest first, and the removed items in order. */
function bench(results: Kept[], storedBytesMax = 1_000_000, files: Kept[] = []) {
  const clock = new ManualClock();
  const done: string[] = [];
  let failures = 0;
  const all = () => [...results, ...files];
  const sizeOf = (accountId: string) =>
    all()
      .filter((each) => each.accountId === accountId)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const retained = (items: Kept[]): Retained => ({
    expired: async (nowMs, limit) => {
      if (failures-- > 0) throw new Error('the database is gone');
      return items.filter(({ expiresAtMs }) => expiresAtMs <= nowMs).slice(0, limit);
    },
    oldest: async (accountId, limit) =>
      items.filter((each) => each.accountId === accountId && !each.inUse).slice(0, limit),
    remove: async ({ id }) => {
      done.push(id);
      assert.ok(done.length < 5000, 'the cleanup does not end');
      const at = items.findIndex((each) => each.id === id && !each.stuck);
      if (at >= 0) items.splice(at, 1);
    },
  });
  const cleanup = new RetentionCleanup({
    clock,
    log: silentLog,
    storedBytesMax: () => storedBytesMax,
    retained: [retained(results), retained(files)],
    overfull: async (bytesMax, limit) =>
      [...new Set(all().map(({ accountId }) => accountId))]
        .map((accountId) => ({ accountId, bytes: sizeOf(accountId) }))
        .filter(({ bytes }) => bytes > bytesMax)
        .slice(0, limit),
  });
  return { clock, results, files, done, cleanup, fail: (times: number) => (failures = times) };
}

test('expired items of every kind are removed, and the rest stays', async () => {
  const { clock, results, done } = bench([kept('1', 10, 0), kept('2')], 1000, [kept('3'), kept('4', 10, 0)]);
  await clock.advance(CLEANUP_MS - 1);
  assert.deepEqual(done, []);
  await clock.advance(1);
  assert.deepEqual(done, ['1', '4']);
  assert.equal(results.length, 1);
});

test('one cleanup removes everything that expired, however much it is', async () => {
  const { results, cleanup } = bench(Array.from({ length: 1234 }, (_, index) => kept(`${index}`, 1, 0)));
  await cleanup.cleanUp();
  assert.equal(results.length, 0);
});

test('above the cap the oldest items of that account go, as many as necessary and no more', async () => {
  const others = [kept('x', 100, far, 'b')];
  const { results, cleanup } = bench([kept('1', 30), kept('2', 30), kept('3', 30), kept('4', 30), ...others], 100);
  await cleanup.cleanUp();
  assert.deepEqual(
    results.map(({ id }) => id),
    ['2', '3', '4', 'x'],
  );
});

test('above the cap the oldest go, of whatever kind', async () => {
  const results = [kept('1', 30), kept('4', 30), kept('5', 30)];
  const { done, cleanup } = bench(results, 100, [kept('2', 30), kept('3', 30), kept('6', 30)]);
  await cleanup.cleanUp();
  assert.deepEqual(done, ['1', '2', '3']);
});

test('an account whose items may not be deleted stays above its cap', async () => {
  const { cleanup, done } = bench([kept('1', 30)], 10, [{ ...kept('2', 30), inUse: true }]);
  await cleanup.cleanUp();
  assert.deepEqual(done, ['1']);
});

test('an account far above its cap is brought down step by step', async () => {
  const { results, cleanup } = bench(
    Array.from({ length: 450 }, (_, index) => kept(`${index}`, 10)),
    1000,
  );
  await cleanup.cleanUp();
  assert.deepEqual([results.length, results[0]?.id], [100, '350']);
});

test('an item that stays listed although it was deleted does not keep the cleanup going', async () => {
  const expired = Array.from({ length: 250 }, (_, index) => ({ ...kept(`${index}`, 1, 0), stuck: index === 7 }));
  const { results, cleanup } = bench(expired);
  await cleanup.cleanUp();
  assert.deepEqual(
    results.map(({ id }) => id),
    ['7'],
  );
  const large = bench([{ ...kept('1', 30), stuck: true }, kept('2', 30), kept('x', 30, far, 'b')], 10);
  await large.cleanup.cleanUp();
  assert.deepEqual(
    large.results.map(({ id }) => id),
    ['1'],
  );
});

test('what a failed cleanup left is removed by the next one', async () => {
  const { clock, results, fail } = bench([kept('1', 10, 0)]);
  fail(1);
  await clock.advance(CLEANUP_MS);
  assert.equal(results.length, 1);
  await clock.advance(CLEANUP_MS);
  assert.equal(results.length, 0);
});

test('nothing is deleted after the close, and no timer is left', async () => {
  const { clock, results, cleanup } = bench([kept('1', 10, 0)]);
  cleanup.close();
  await clock.advance(10 * CLEANUP_MS);
  assert.deepEqual([results.length, clock.pending], [1, 0]);
});
