/** The audit of files, on every database. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { idSource } from '#base/id.ts';
import { fileExpiryMs, newFileId } from '#batches/file.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { FolderContents } from '../files/contents.ts';
import { createFileStore } from '../files/store.ts';
import type { Journal } from '../journal/journal.ts';
import { audit } from './index.ts';

const clock = new ManualClock();
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`audit of files on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let folder: string;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      folder = await mkdtemp(join(tmpdir(), 'sluice-audit-'));
    });
    after(async () => {
      await opened?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    test('it names files and keys that cannot be read', async () => {
      const parts = { db: opened.db, clock, ids };
      const { id: accountId } = await new Accounts(parts).create({ name: 'buyer' }, COMMAND_LINE);
      const { key } = await new Keys(parts).create(accountId, { name: 'key' }, COMMAND_LINE);
      const file = {
        id: newFileId(ids),
        accountId,
        keyId: null,
        purpose: 'batch',
        filename: 'in.jsonl',
        bytes: 0,
      } as const;
      const times = { createdAtMs: clock.nowMs(), expiresAtMs: fileExpiryMs(clock.nowMs(), 30) };
      await createFileStore(opened.db, journal).add({ ...file, ...times });
      await opened.db.knex('files').where({ id: file.id }).update({ purpose: 'zzz' });
      await opened.db.knex('api_keys').where({ id: key.id }).update({ scopes: '{' });
      const { findings } = await audit(opened.db, null, { nowMs: clock.nowMs() });
      assert.deepEqual(findings, [`File ${file.id} cannot be read.`, `Key ${key.id} cannot be read.`]);
      await opened.db.knex('files').delete();
      await opened.db.knex('api_keys').delete();
    });

    test('it finds promised content that is missing, and nothing where content exists or is known to be gone', async () => {
      const contents = new FolderContents(folder);
      const files = createFileStore(opened.db, journal);
      const accountId = (await new Accounts({ db: opened.db, clock, ids }).create({ name: 'buyer' }, COMMAND_LINE)).id;
      const made: string[] = [];
      for (let at = 0; at < 3; at++) {
        const id = newFileId(ids);
        const times = { createdAtMs: clock.nowMs(), expiresAtMs: fileExpiryMs(clock.nowMs(), 30) };
        await contents.append(id, 0, Buffer.from('one\n'));
        await files.add({ id, accountId, keyId: null, purpose: 'batch', filename: 'in.jsonl', bytes: 4, ...times });
        made.push(id);
      }
      const [gone = '', missing = ''] = made;
      await files.markGone(accountId, gone);
      await contents.delete(gone);
      const findings = async () => (await audit(opened.db, null, { contents, nowMs: clock.nowMs() })).findings;
      assert.deepEqual(await findings(), []);
      await contents.delete(missing);
      assert.deepEqual(await findings(), [`File ${missing}: its content is promised and is not there.`]);
    });
  });
}
