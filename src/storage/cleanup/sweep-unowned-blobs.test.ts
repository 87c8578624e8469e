/** Which blobs a start deletes and which it leaves, on every database. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { blobName } from '../blobs/blob-store.ts';
import { FolderBlobs } from '../blobs/blobs.ts';
import { sweepBlobs, sweepInputs } from './sweep-unowned.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`blobs without an owner on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let folder: string;
    let blobs: FolderBlobs;

    before(async () => {
      opened = await openJournaled(tested, clock);
      folder = await mkdtemp(join(tmpdir(), 'sluice-bodies-'));
      blobs = new FolderBlobs(folder);
    });
    after(async () => {
      await opened?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    test('are deleted, and those of live orders or stored results stay', async () => {
      const { db, journal } = opened;
      const accountId = await fundedAccount(db, clock, 1000n);
      const order = () => orderRow({ accountId, resultState: 'promised' });
      const [waits, runs, done, stored, deleted, canceled] = [order(), order(), order(), order(), order(), order()];
      for (const each of [waits, canceled]) await journal.write(acceptUnit(each));
      const ran = [runs, done, stored, deleted];
      for (const each of ran) await journal.write(acceptUnit(each, { admission: admissionOf(1n) }));
      const settlement = { resultExpiresAtMs: startMs + 1000 };
      for (const each of [done, stored, deleted]) await journal.write(settleUnit(each, 1n, settlement));
      await journal.write({ kind: 'result-stored', orderId: stored.id, accountId, bytes: 1 });
      await journal.write({ kind: 'result-removed', orderId: deleted.id, accountId });
      const why = { error: 'order_canceled', errorMessage: 'Canceled.', finishedAtMs: startMs + 9 };
      await journal.write({ kind: 'close', orderId: canceled.id, accountId, status: 'canceled', ...why });

      const unknown = ids.uuid();
      for (const id of [waits, runs, done, stored, deleted, canceled].map((each) => each.id).concat(unknown)) {
        for (const attempt of [1, 2]) await blobs.put(blobName(id, attempt), new Uint8Array(1));
      }
      assert.equal(await sweepBlobs(db, blobs), 6);
      const has = async (id: string) => [await blobs.has(id), await blobs.has(blobName(id, 2))];
      for (const { id } of [waits, runs, done, stored]) assert.deepEqual(await has(id), [true, true]);
      for (const id of [deleted.id, canceled.id, unknown]) assert.deepEqual(await has(id), [false, false]);
      assert.equal(await sweepBlobs(db, blobs), 0);
    });

    test('are deleted when they are inputs of orders that are not live', async () => {
      const { db, journal } = opened;
      const accountId = await fundedAccount(db, clock, 1000n);
      const [waits, canceled] = [orderRow({ accountId }), orderRow({ accountId })];
      for (const each of [waits, canceled]) await journal.write(acceptUnit(each));
      const why = { error: 'order_canceled', errorMessage: 'Canceled.', finishedAtMs: startMs + 9 };
      await journal.write({ kind: 'close', orderId: canceled.id, accountId, status: 'canceled', ...why });
      const inputs = new FolderBlobs(join(folder, 'queued'));
      for (const id of [waits.id, canceled.id, ids.uuid()]) await inputs.put(id, new Uint8Array(1));
      assert.equal(await sweepInputs(db, inputs), 2);
      assert.deepEqual(await Array.fromAsync(inputs.list()), [[waits.id]]);
    });

    test('are deleted in more than one step', async () => {
      for (let made = 0; made < 501; made++) await blobs.put(ids.uuid(), new Uint8Array(1));
      assert.equal(await sweepBlobs(opened.db, blobs), 501);
    });
  });
}
