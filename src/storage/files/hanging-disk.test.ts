/** Results and files on a disk that hangs: each step of each write, and what is left when it answers again. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { newFileId } from '#batches/file.ts';
import { type DiskCallName, hangDisk } from '#testing/hanging-disk.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { FolderBlobs } from '../blobs/blobs.ts';
import { DiskCalls } from '../blobs/disk-calls.ts';
import { FolderContents } from './contents.ts';

const DEADLINE_MS = 5000;
const bytes = (text: string) => new TextEncoder().encode(text);
const unavailable = { code: 'unavailable', retryAfterS: 30 };

describe('a disk that hangs', () => {
  const clock = new ManualClock();
  const ids = idSource(clock);
  let folder: string;
  let calls: DiskCalls;
  let contents: FolderContents;
  let blobs: FolderBlobs;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-hanging-'));
    calls = new DiskCalls({ clock, log: silentLog, deadlineMs: DEADLINE_MS });
    contents = new FolderContents(folder, calls);
    blobs = new FolderBlobs(folder, calls);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs `act` while these calls hang, and passes the deadline once it has reached them; then waits for what they do. */
  async function whileHanging(names: readonly DiskCallName[] | undefined, act: () => Promise<void>): Promise<void> {
    const disk = await hangDisk(folder, names);
    const acted = act();
    while (disk.kept === 0) await turn();
    await clock.advance(DEADLINE_MS);
    await acted;
    disk.release();
    // A late call, and then what it leaves to be done.
    await allReturned();
    await allReturned();
  }
  /** Two calls that wait for each other: both have their turn only when no earlier one is in the disk. */
  async function allReturned(): Promise<void> {
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const [one, other] = both;
    const meet = (own: typeof one, its: typeof one) =>
      calls.patiently(async () => {
        own.resolve();
        await its.promise;
      });
    await Promise.all([meet(one, other), meet(other, one)]);
  }
  async function filesLeft(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }
  async function upload(fileId: string): Promise<void> {
    const draft = await contents.draft(fileId);
    try {
      await draft.write(bytes('content'));
      await draft.keep();
    } finally {
      await draft.abandon();
    }
  }
  async function read(fileId: string): Promise<string> {
    return Buffer.concat(await Array.fromAsync(contents.read(fileId))).toString();
  }

  const uploading = ['mkdir', 'open', 'file.write', 'file.sync', 'rename'] as const;
  for (const name of uploading) {
    test(`an upload that hangs in ${name} is refused and leaves nothing, and the next one is taken`, async () => {
      await whileHanging([name], () => assert.rejects(upload(newFileId(ids)), unavailable));
      assert.deepEqual(await filesLeft(), []);
      const fileId = newFileId(ids);
      await upload(fileId);
      assert.equal(await read(fileId), 'content');
    });
  }

  test('who has waited for a turn in vain does not wait again for what is left behind', async () => {
    const draft = await contents.draft(newFileId(ids));
    const [slow, hung] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ahead = [slow, slow, hung, hung].map(({ promise }) => calls.patiently(() => promise));
    const refused = assert.rejects(draft.write(bytes('content')), unavailable);
    await clock.advance(1000);
    slow.resolve();
    // Those that hang began later than it came: none is overdue when it is refused.
    await clock.advance(DEADLINE_MS - 1000);
    await refused;
    await draft.abandon();
    hung.resolve();
    await Promise.all(ahead);
    await allReturned();
    assert.deepEqual(await filesLeft(), []);
  });

  for (const name of ['mkdir', 'writeFile'] as const) {
    test(`an unpromised result that hangs in ${name} is refused and leaves nothing`, async () => {
      await whileHanging([name], () => assert.rejects(blobs.putLightly(ids.uuid(), bytes('x')), unavailable));
      assert.deepEqual(await filesLeft(), []);
    });
  }

  test('a promised result and the output of a batch are stored when the disk answers again', async () => {
    const [orderId, fileId] = [ids.uuid(), newFileId(ids)];
    await contents.append(fileId, 0, bytes('one\n'));
    const stored: Promise<void>[] = [];
    await whileHanging(undefined, async () => {
      stored.push(blobs.put(orderId, bytes('result')), contents.append(fileId, 4, bytes('two\n')));
    });
    await Promise.all(stored);
    assert.equal(Buffer.from((await blobs.get(orderId)) ?? []).toString(), 'result');
    assert.equal(await read(fileId), 'one\ntwo\n');
    assert.deepEqual((await filesLeft()).sort(), [orderId, fileId].sort());
  });

  for (const name of ['open', 'file.read'] as const) {
    test(`a download that hangs in ${name} is refused`, async () => {
      const fileId = newFileId(ids);
      await upload(fileId);
      await whileHanging([name], () => assert.rejects(read(fileId), unavailable));
      assert.equal(await read(fileId), 'content');
    });
  }

  test('a result that cannot be read in time is unavailable, and not lost', async () => {
    const orderId = ids.uuid();
    await blobs.put(orderId, bytes('result'));
    await whileHanging(['readFile'], () => assert.rejects(blobs.get(orderId), unavailable));
    assert.ok(await blobs.get(orderId));
  });

  test('what is deleted meanwhile is deleted when the disk answers again', async () => {
    const [orderId, fileId] = [ids.uuid(), newFileId(ids)];
    await blobs.put(orderId, bytes('result'));
    await upload(fileId);
    await whileHanging(undefined, async () => {
      await Promise.all([blobs.delete(orderId), contents.delete(fileId)]);
    });
    assert.deepEqual(await filesLeft(), []);
  });
});
