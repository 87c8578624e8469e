import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountLines } from './account-lines.ts';

/** An account with room for `lines`, and a count of the waiting lines that were woken. */
function roomFor(lines: number) {
  const left = { lines, woken: 0 };
  const room = new AccountLines(() => left.lines);
  const wait = () => void room.changed().then(() => left.woken++);
  const woken = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return left.woken;
  };
  return { left, room, wait, woken };
}

test('a line takes a place while it is being submitted', () => {
  const { room } = roomFor(2);
  assert.deepEqual([room.enter(), room.enter(), room.enter()], [true, true, false]);
  room.leave();
  assert.deepEqual([room.enter(), room.enter()], [true, false]);
});

test('a line that became a queued order keeps its place', () => {
  const { left, room } = roomFor(1);
  assert.equal(room.enter(), true);
  left.lines = 0;
  room.leave();
  assert.equal(room.enter(), false);
});

test('as many are woken as there is room for, first come, first served', async () => {
  const { left, room, wait, woken } = roomFor(0);
  for (let count = 0; count < 5; count++) wait();
  room.freed();
  assert.equal(await woken(), 0);
  left.lines = 2;
  room.freed();
  assert.equal(await woken(), 2);
  assert.equal(room.enter(), true);
  room.freed();
  assert.equal(await woken(), 3);
});

test('negative room wakes nobody', async () => {
  const { left, room, wait, woken } = roomFor(1);
  assert.equal(room.enter(), true);
  wait();
  left.lines = -3;
  room.freed();
  assert.equal(await woken(), 0);
  assert.equal(room.enter(), false);
});

test('a batch that must not wait any longer is woken without room', async () => {
  const { room, wait, woken } = roomFor(0);
  for (let count = 0; count < 3; count++) wait();
  room.wake();
  assert.equal(await woken(), 3);
  room.wake();
  assert.equal(await woken(), 3);
});

test('a line that leaves places free takes none of the last ones', () => {
  const { room } = roomFor(3);
  assert.deepEqual([room.enter(1), room.enter(1), room.enter(1)], [true, true, false]);
  assert.equal(room.free, 1);
  assert.equal(room.enter(), true);
});

test('one that waits for more room keeps nobody behind it from the places that it leaves', async () => {
  const { left, room, wait, woken } = roomFor(0);
  let kept = 2;
  const woke: string[] = [];
  void room.changed(() => kept).then(() => woke.push('patient'));
  for (let count = 0; count < 2; count++) wait();
  left.lines = 1;
  room.freed();
  assert.equal(await woken(), 1);
  left.lines = 2;
  room.freed();
  assert.equal(await woken(), 2);
  assert.deepEqual(woke, []);
  kept = 1;
  room.freed();
  await woken();
  assert.deepEqual(woke, ['patient']);
});
