import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCursor, encodeCursor } from '#contract/cursor-page.ts';
import { Fault } from './fault.ts';

test('a cursor returns its key to the list that made it', () => {
  assert.deepEqual(decodeCursor('orders:a', encodeCursor('orders:a', ['id', 7])), ['id', 7]);
});

test('a cursor of another list, a forged one and garbage are refused', () => {
  const foreign = encodeCursor('orders:b', ['id']);
  const forged = Buffer.from(JSON.stringify(['orders:a', 'id'])).toString('base64url');
  const wrongTypes = Buffer.from(
    JSON.stringify([JSON.parse(Buffer.from(foreign, 'base64url').toString())[0], {}]),
  ).toString('base64url');
  for (const cursor of [foreign, forged, wrongTypes, '', '💥', 'e30', 'bnVsbA']) {
    assert.throws(
      () => decodeCursor('orders:a', cursor),
      (error) => error instanceof Fault && error.code === 'invalid_cursor',
    );
  }
  assert.throws(() => decodeCursor('orders:b', wrongTypes), Fault);
});
