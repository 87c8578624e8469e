import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import type { JournalPort } from './journal-port.ts';
import type { KeptResult } from './ports.ts';
import { ResultSweep, SWEEP_MS } from './result-sweep.ts';

interface Kept extends KeptResult {
  readonly expiresAtMs: number;
}

/** A store of results in finishing order, and what happened to it, in order. */
function cellar(results: Kept[], storedBytesMax = 1_000_000) {
  const clock = new ManualClock();
  const done: string[] = [];
  let failures = 0;
  const sizeOf = (accountId: string) =>
    results.filter((each) => each.accountId === accountId).reduce((sum, { bytes }) => sum + bytes, 0);
  const sweep = new ResultSweep({
    clock,
    log: silentLog,
    storedBytesMax,
    index: {
      expired: async (nowMs, limit) => {
        if (failures-- > 0) throw new Error('the database is gone');
        return results.filter(({ expiresAtMs }) => expiresAtMs <= nowMs).slice(0, limit);
      },
      overfull: async (bytesMax, limit) =>
        [...new Set(results.map(({ accountId }) => accountId))]
          .map((accountId) => ({ accountId, bytes: sizeOf(accountId) }))
          .filter(({ bytes }) => bytes > bytesMax)
          .slice(0, limit),
      oldest: async (accountId, limit) => results.filter((each) => each.accountId === accountId).slice(0, limit),
    },
    journal: {
      write: (async (unit: { orderId: string }) => {
        done.push(`row ${unit.orderId}`);
        results.splice(
          results.findIndex(({ orderId }) => orderId === unit.orderId),
          1,
        );
        return { result: 'changed' };
      }) as unknown as JournalPort['write'],
    },
    results: { delete: async (orderId) => void done.push(`body ${orderId}`) },
  });
  return { clock, results, done, sweep, fail: (times: number) => (failures = times) };
}

const far = Number.MAX_SAFE_INTEGER;
function kept(orderId: string, bytes = 10, expiresAtMs = far, accountId = 'a'): Kept {
  return { orderId, bytes, expiresAtMs, accountId };
}

test('what is due is deleted, first its row and then its body, and the rest stays', async () => {
  const { clock, results, done } = cellar([kept('1', 10, 0), kept('2')]);
  await clock.advance(SWEEP_MS - 1);
  assert.deepEqual(done, []);
  await clock.advance(1);
  assert.deepEqual(done, ['row 1', 'body 1']);
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
    results.map(({ orderId }) => orderId),
    ['2', '3', '4', 'x'],
  );
});

test('an account far above its cap is brought down step by step', async () => {
  const { results, sweep } = cellar(
    Array.from({ length: 450 }, (_, index) => kept(`${index}`, 10)),
    1000,
  );
  await sweep.sweep();
  assert.deepEqual([results.length, results[0]?.orderId], [100, '350']);
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
