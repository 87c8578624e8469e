import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { shrinkHeap } from './serve.ts';

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

test('what is not used is collected, the young generation becomes small, and nobody else can collect', async () => {
  const kept: object[] = [];
  for (let at = 0; at < 200_000; at++) kept.push({ at });
  const unused = new WeakRef(kept.splice(0));
  const grown = youngBytes();
  // What a WeakRef was asked for lives until the end of the turn.
  await nextTurn();
  shrinkHeap();
  assert.equal(unused.deref(), undefined);
  assert.ok(youngBytes() < grown, `${youngBytes()} of ${grown}`);
  assert.equal('gc' in globalThis, false);
});
