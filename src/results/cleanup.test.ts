import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { CLEANUP_MS, RetentionCleanup } from './cleanup.ts';
import { Eviction } from './eviction.ts';
import type { Retained, RetainedItem } from './ports.ts';

interface Kept extends RetainedItem {
  readonly expiresAtMs: number;
  /** It stays listed, whatever is deleted. */
  readonly stuck?: boolean;
  readonly inUse?: boolean;
}

const far = Number.MAX_SAFE_INTEGER;
function kept(id: string, bytes = 10, expiresAtMs = far, accountId = 'a'): Kept {
  return { id, bytes, expiresAtMs, accountId, keyId: null, sinceMs: Number(id) };
}

/** Made by a key that may delete only what it made, unless it is the key `wide`. */
const madeBy = (keyId: string, id: string, bytes = 30): Kept => ({ ...kept(id, bytes), keyId });

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
    newest: async (accountId, { limit, after }) => {
      const newestFirst = items.filter((each) => each.accountId === accountId).reverse();
      return newestFirst.filter(({ sinceMs }) => after === null || sinceMs < after.sinceMs).slice(0, limit);
    },
    remove: async ({ id }) => {
      done.push(id);
      assert.ok(done.length < 5000, 'the cleanup does not end');
      const at = items.findIndex((each) => each.id === id && !each.stuck);
      if (at >= 0) items.splice(at, 1);
    },
  });
  const kinds = [retained(results), retained(files)];
  const eviction = new Eviction({
    retained: kinds,
    narrowAmong: async (keys) => new Set(keys.filter((key) => key !== 'wide')),
    storedBytes: async (accountId) => sizeOf(accountId),
    storedBytesMax: () => storedBytesMax,
    overfull: async (bytesMax, limit) =>
      [...new Set(all().map(({ accountId }) => accountId))]
        .map((accountId) => ({ accountId, bytes: sizeOf(accountId) }))
        .filter(({ bytes }) => bytes > bytesMax)
        .slice(0, limit),
  });
  const cleanup = new RetentionCleanup({ clock, log: silentLog, retained: kinds, eviction });
  return { clock, results, files, done, cleanup, eviction, fail: (times: number) => (failures = times) };
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

const idsOf = (items: readonly Kept[]) => items.map(({ id }) => id);

test('what a narrow key adds above the cap pushes out nothing of other keys', async () => {
  const { results, cleanup } = bench(
    [madeBy('wide', '1'), kept('2', 30), madeBy('other', '3'), madeBy('narrow', '5')],
    100,
    [madeBy('narrow', '4'), madeBy('narrow', '6')],
  );
  await cleanup.cleanUp();
  assert.deepEqual(idsOf(results), ['1', '2', '3']);
});

test('a narrow key makes room with its own oldest items, where those are among the oldest of the account', async () => {
  const { results, cleanup } = bench(
    [madeBy('wide', '1'), madeBy('narrow', '2'), madeBy('other', '3'), madeBy('narrow', '4')],
    100,
  );
  await cleanup.cleanUp();
  assert.deepEqual(idsOf(results), ['1', '3', '4']);
});

test('other keys make room with the oldest items of any key, and for what they added only', async () => {
  const { results, cleanup } = bench(
    [madeBy('narrow', '1'), madeBy('wide', '2'), madeBy('wide', '3'), madeBy('wide', '4'), madeBy('other', '5')],
    100,
  );
  await cleanup.cleanUp();
  // 20 of the 50 bytes above the cap were added by `wide`, 30 by `other`.
  assert.deepEqual(idsOf(results), ['2', '3', '4']);
});

test('a thousand small items of a narrow key leave those of other keys where they are', async () => {
  const theirs = Array.from({ length: 300 }, (_, at) => madeBy('wide', `${at}`, 1));
  const flood = Array.from({ length: 1000 }, (_, at) => madeBy('narrow', `${1000 + at}`, 1));
  const { results, cleanup } = bench([...theirs, ...flood], 400);
  await cleanup.cleanUp();
  assert.deepEqual([results.filter(({ keyId }) => keyId === 'wide').length, results.length], [300, 400]);
});

test('a narrow key may add where the account has room or its own items go first, and is refused elsewhere', async () => {
  const narrow = { accountId: 'a', keyId: 'narrow', evictsOwn: true };
  const refusal = { code: 'rate_limit_error', retryAfterS: 60 };
  const { results, eviction } = bench([madeBy('wide', '1'), madeBy('narrow', '2')], 60);
  await assert.rejects(eviction.requireRoom(narrow), refusal);
  await eviction.requireRoom({ accountId: 'a', keyId: 'wide' });
  results.shift();
  await eviction.requireRoom(narrow);
  results.push(madeBy('wide', '3'));
  await eviction.requireRoom(narrow);
  await assert.rejects(eviction.requireRoom({ ...narrow, keyId: 'other' }), refusal);
});
