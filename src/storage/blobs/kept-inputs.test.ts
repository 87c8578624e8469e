/** Which inputs are in the bucket and which in the folder; two folders stand for the two. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { FolderBlobs } from './blobs.ts';
import { splitInputs } from './kept-inputs.ts';

const ids = idSource(new ManualClock());
const bytes = (text: string) => new TextEncoder().encode(text);

describe('inputs beside a bucket', () => {
  let root: string;
  let kept: FolderBlobs;
  let spilled: FolderBlobs;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-inputs-'));
    [kept, spilled] = [new FolderBlobs(join(root, 'kept')), new FolderBlobs(join(root, 'spilled'))];
  });
  afterEach(() => rm(root, { recursive: true }));

  const list = async (blobs: FolderBlobs) => (await Array.fromAsync(blobs.list())).flat();

  test('those that must outlive the process are in the one, the others in the other, and each is found', async () => {
    const inputs = splitInputs(kept, spilled, new Set());
    const [detached, waiting] = [ids.uuid(), ids.uuid()];
    await inputs.putSafely(detached, bytes('detached'));
    await inputs.putGently(waiting, bytes('waiting'));
    assert.deepEqual([await list(kept), await list(spilled)], [[detached], [waiting]]);
    for (const [id, text] of [
      [detached, 'detached'],
      [waiting, 'waiting'],
    ] as const) {
      assert.equal(Buffer.from((await inputs.get(id)) ?? []).toString(), text);
      await inputs.delete(id);
      assert.equal(await inputs.get(id), null);
    }
    assert.deepEqual([await list(kept), await list(spilled)], [[], []]);
  });

  test('those that an earlier process kept are found and deleted', async () => {
    const id = ids.uuid();
    await kept.put(id, bytes('detached'));
    const inputs = splitInputs(kept, spilled, new Set([id]));
    assert.notEqual(await inputs.get(id), null);
    await inputs.delete(id);
    assert.deepEqual(await list(kept), []);
  });

  test('one that the bucket refuses is not looked for there', async () => {
    const inputs = splitInputs(kept, spilled, new Set());
    await assert.rejects(inputs.putSafely('no id', bytes('x')));
    assert.equal(await inputs.get(ids.uuid()), null);
  });
});
