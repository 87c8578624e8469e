import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idSource } from '#base/id.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { blobName, blobNames, orderOf } from './blob-store.ts';

const id = idSource(new ManualClock()).uuid();

test('each attempt of an order has a name, which names the order', () => {
  assert.deepEqual(
    [1, 2, 10].map((attempt) => blobName(id, attempt)),
    [id, `${id}.2`, `${id}.10`],
  );
  for (const attempt of [1, 2, 10]) assert.equal(orderOf(blobName(id, attempt)), id);
});

test('nothing else names an order', () => {
  for (const name of ['', `${id}.`, `${id}.0`, `${id}.01`, `${id}.2.3`, `${id}.x`, `${id}.Ab3dEf9h.tmp`, `../${id}`])
    assert.equal(orderOf(name), null, name);
});

test('a result is looked for under the name of its attempt first', () => {
  assert.deepEqual([blobNames(id, 1), blobNames(id, 3)], [[id], [`${id}.3`, id]]);
});
