/** What a kill during an upload or a delete leaves, and a start removes, on every database. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { fileExpiryMs, newFileId } from '#batches/file.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { FolderContents } from '../files/contents.ts';
import { createFileStore } from '../files/store.ts';
import type { Journal } from '../journal/journal.ts';
import { sweepContents } from './sweep-unowned.ts';

const clock = new ManualClock();
const ids = idSource(clock);
const noBatches = { outputsAmong: async () => new Set<string>() };

for (const tested of testedDatabases) {
  describe(`contents without an owner on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let folder: string;
    let contents: FolderContents;
    let accountId: string;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      folder = await mkdtemp(join(tmpdir(), 'sluice-sweep-'));
      contents = new FolderContents(folder);
      accountId = (await new Accounts({ db: opened.db, clock, ids }).create({ name: 'buyer' }, COMMAND_LINE)).id;
    });
    after(async () => {
      await opened?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Content on disk, as an upload leaves it before its row is written. */
    async function content(): Promise<string> {
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      await draft.write(Buffer.from('one\n'));
      await draft.keep();
      return id;
    }
    async function enter(id: string): Promise<void> {
      const createdAtMs = clock.nowMs();
      const times = { createdAtMs, expiresAtMs: fileExpiryMs(createdAtMs, 30) };
      const file = { id, accountId, keyId: null, purpose: 'batch' as const, filename: 'in.jsonl', bytes: 4, ...times };
      await createFileStore(opened.db, journal).add(file);
    }

    test('are deleted at a start: uploads without a row, and files whose row says that it is gone', async () => {
      const [uploaded, entered, emptied, written] = [
        await content(),
        await content(),
        await content(),
        await content(),
      ];
      await enter(entered);
      await enter(emptied);
      await createFileStore(opened.db, journal).markGone(accountId, emptied);
      // Killed during an upload.
      await writeFile(join(folder, 'drafts', 'left-over'), 'half');

      const batchFiles = { outputsAmong: async () => new Set([written]) };
      await contents.sweepDrafts();
      assert.equal(await sweepContents(opened.db, contents, batchFiles), 2);
      const kept = await Promise.all([uploaded, entered, emptied, written].map((id) => contents.has(id)));
      assert.deepEqual(kept, [false, true, false, true]);
      assert.ok(!(await readdir(folder)).includes('drafts'));

      assert.equal(await sweepContents(opened.db, contents, noBatches), 1);
      assert.equal(await contents.has(written), false);
    });
  });
}
