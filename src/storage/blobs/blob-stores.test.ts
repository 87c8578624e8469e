/** What every blob store does: in a folder, and in a bucket of a real S3-compatible server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { type TestedStores, testedStores } from '#testing/data-stores.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type BlobStore, blobName } from './blob-store.ts';

const ids = idSource(new ManualClock());
const bytes = (text: string) => new TextEncoder().encode(text);

for (const { name, open } of testedStores) {
  describe(`blobs in a ${name}`, () => {
    let opened: TestedStores;
    let blobs: BlobStore;

    before(async () => {
      opened = await open();
      blobs = opened.results;
    });
    after(() => opened.close());

    test('a blob is read as it was written, and replaced whole', async () => {
      const id = ids.uuid();
      assert.equal(await blobs.get(id), null);
      await blobs.put(id, bytes('one'));
      await blobs.put(id, bytes('two'));
      assert.equal(Buffer.from((await blobs.get(id)) ?? []).toString(), 'two');
      assert.equal(await blobs.has(id), true);
    });

    test('a large blob that is written gently is whole, and replaces a larger one', async () => {
      const id = ids.uuid();
      for (const text of ['long'.repeat(1_000_000), 'short'.repeat(500_000), '']) {
        await blobs.putGently(id, bytes(text));
        assert.ok(Buffer.from((await blobs.get(id)) ?? []).equals(bytes(text)));
      }
    });

    test('a deleted blob is gone for good', async () => {
      const id = ids.uuid();
      await blobs.put(id, bytes('one'));
      await blobs.delete(id);
      await blobs.delete(id);
      assert.equal(await blobs.get(id), null);
      assert.equal(await blobs.has(id), false);
    });

    test('every stored id is listed', async () => {
      const list = async () => (await Array.fromAsync(blobs.list())).flat().sort();
      const before = await list();
      const kept = Array.from({ length: 20 }, () => ids.uuid());
      for (const id of kept) await blobs.put(id, bytes(id));
      assert.deepEqual(await list(), [...before, ...kept].sort());
    });

    test('each attempt of an order has a blob of its own', async () => {
      const id = ids.uuid();
      const names = [1, 2, 10].map((attempt) => blobName(id, attempt));
      for (const name of names) await blobs.put(name, bytes(name));
      await blobs.delete(id);
      assert.equal(await blobs.get(id), null);
      const left = names.slice(1);
      for (const name of left) assert.equal(Buffer.from((await blobs.get(name)) ?? []).toString(), name);
      const listed = (await Array.fromAsync(blobs.list())).flat();
      assert.deepEqual(listed.filter((name) => name.startsWith(id)).sort(), left.sort());
    });

    test('only an id becomes a file name', async () => {
      for (const name of ['', '../../etc/passwd', 'A'.repeat(36)]) {
        await assert.rejects(blobs.put(name, bytes('x')), /under the id of its order/);
        await assert.rejects(blobs.get(name), /under the id of its order/);
      }
    });

    test('all ways to write keep the blob', async () => {
      for (const way of ['put', 'putLightly', 'putGently', 'putSafely'] as const) {
        const id = ids.uuid();
        await blobs[way](id, bytes(way));
        assert.equal(Buffer.from((await blobs.get(id)) ?? []).toString(), way);
      }
    });
  });
}
