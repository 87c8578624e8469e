import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { DISK_CHECK_MS, DiskSpace, requireRoom } from './disk-space.ts';

/** A disk with `free` bytes, or one that cannot be measured, and what was logged about it. */
function fixture(free: number | null) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  const state = { free, stalled: false };
  const stored: Record<string, number> = { greedy: 600, modest: 300 };
  const disk = new DiskSpace({
    freeBytes: async () => state.free ?? Promise.reject(new Error('EIO')),
    reserveBytes: 1000,
    storingMoreThan: async (bytes) => Object.keys(stored).filter((account) => (stored[account] ?? 0) > bytes),
    calls: state,
    clock,
    log: { debug: note, info: note, warn: note, error: note },
  });
  return { clock, disk, lines, state };
}

test('a disk is low below its reserve, and each change is logged once', async () => {
  const { clock, disk, lines, state } = fixture(1000);
  await disk.watch();
  assert.equal(disk.low, false);
  requireRoom(disk, 'a');
  state.free = 999;
  await clock.advance(DISK_CHECK_MS * 3);
  assert.equal(disk.low, true);
  assert.throws(() => requireRoom(disk, 'a'), { code: 'unavailable', retryAfterS: 30 });
  state.free = 1000;
  await clock.advance(DISK_CHECK_MS * 3);
  assert.equal(disk.low, false);
  assert.equal(lines.length, 2);
  disk.close();
  assert.equal(clock.pending, 0);
});

test('a disk that does not answer counts as low until it does', async () => {
  const { disk, state } = fixture(5000);
  await disk.watch();
  state.stalled = true;
  assert.equal(disk.low, true);
  assert.throws(() => requireRoom(disk, 'a'), { code: 'unavailable', retryAfterS: 30 });
  state.stalled = false;
  requireRoom(disk, 'a');
  disk.close();
});

test('a disk that cannot be measured stays as it was, and is measured again', async () => {
  const { clock, disk, lines, state } = fixture(1);
  await disk.watch();
  state.free = null;
  await clock.advance(DISK_CHECK_MS * 3);
  assert.equal(disk.low, true);
  assert.equal(lines.length, 2);
  state.free = 5000;
  await clock.advance(DISK_CHECK_MS);
  assert.equal(disk.low, false);
});

test('what is about to be written counts until it is measured', async () => {
  const { clock, disk, state } = fixture(2000);
  await disk.watch();
  disk.willWrite(1000);
  assert.equal(disk.low, false);
  disk.willWrite(1);
  assert.equal(disk.low, true);
  state.free = 1500;
  await clock.advance(DISK_CHECK_MS);
  assert.equal(disk.low, false);
});

test('before the disk is low, accounts that store more than they leave free may store no more, and others may', async () => {
  const { clock, disk, state } = fixture(2000);
  await disk.watch();
  requireRoom(disk, 'greedy');
  state.free = 1500;
  await clock.advance(DISK_CHECK_MS);
  assert.throws(() => requireRoom(disk, 'greedy'), { code: 'rate_limit_error', retryAfterS: 30 });
  requireRoom(disk, 'modest');
  state.free = 1700;
  await clock.advance(DISK_CHECK_MS);
  requireRoom(disk, 'greedy');
  disk.close();
});
