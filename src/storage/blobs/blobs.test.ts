/** Blobs in a folder. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { FolderBlobs } from './blobs.ts';

const ids = idSource(new ManualClock());
const bytes = (text: string) => new TextEncoder().encode(text);

describe('blob folder', () => {
  let folder: string;
  let blobs: FolderBlobs;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-blobs-'));
    blobs = new FolderBlobs(join(folder, 'results'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('parallel writes of one blob leave one of them, whole', async () => {
    const id = ids.uuid();
    const bodies = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000));
    await Promise.all(bodies.map((body) => blobs.put(id, bytes(body))));
    const kept = Buffer.from((await blobs.get(id)) ?? []).toString();
    assert.ok(bodies.includes(kept));
    assert.deepEqual(await readdir(join(folder, 'results', id.slice(-3))), [id]);
  });

  test('a draft that a killed process left is neither read nor listed, and swept', async () => {
    const id = ids.uuid();
    await blobs.put(id, bytes('whole'));
    const shard = join(folder, 'results', id.slice(-3));
    await writeFile(join(shard, `${id}.abc.tmp`), 'ha');
    assert.deepEqual(await Array.fromAsync(blobs.list()), [[id]]);
    await blobs.sweepDrafts();
    assert.deepEqual(await readdir(shard), [id]);
  });

  test('a write that the disk refuses is an error, and a later retry works', async () => {
    const id = ids.uuid();
    await writeFile(join(folder, 'results'), 'a file where the folder belongs');
    await assert.rejects(blobs.put(id, bytes('one')));
    await rm(join(folder, 'results'));
    await blobs.put(id, bytes('one'));
    assert.equal(await blobs.has(id), true);
  });
});
