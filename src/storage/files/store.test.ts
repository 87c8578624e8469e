/** Rows of files and the bytes that they count, on every database. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import {
  type FileIndex,
  type FilePurpose,
  type FileRow,
  type FileStore,
  fileExpiryMs,
  filePurposes,
  newFileId,
} from '#batches/file.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { sweepFileRows } from '../cleanup/sweep-expired.ts';
import { int } from '../database/values.ts';
import type { Journal } from '../journal/journal.ts';
import { fileRecord, newBatchRow } from '../records/batch.ts';
import { occupyingIn } from '../results/store.ts';
import { createFileIndex, createFileStore } from './store.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`files on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let journal: Journal;
    let files: FileStore;
    let index: FileIndex;
    let accounts: Accounts;

    before(async () => {
      opened = await openJournaled(tested, clock);
      journal = opened.journal;
      files = createFileStore(opened.db, journal);
      index = createFileIndex(opened.db);
      accounts = new Accounts({ db: opened.db, clock, ids });
    });
    after(() => opened?.drop());

    const customer = async () => (await accounts.create({ name: 'buyer' }, COMMAND_LINE)).id;
    async function enter(accountId: string, more: Partial<FileRow> = {}): Promise<FileRow> {
      const createdAtMs = clock.nowMs();
      const { contentGone: _, ...file } = {
        ...{
          id: newFileId(ids),
          accountId,
          keyId: 'key_1',
          purpose: 'batch' as const,
          filename: 'in.jsonl',
          bytes: 10,
          createdAtMs,
        },
        expiresAtMs: fileExpiryMs(createdAtMs, 30),
        ...more,
      };
      await files.add(file);
      return { ...file, contentGone: false };
    }
    const enterSome = async (accountId: string, count: number, more: Partial<FileRow> = {}) => {
      const entered: FileRow[] = [];
      for (let made = 0; made < count; made++) entered.push(await enter(accountId, more));
      return entered;
    };
    const storedBytes = async (accountId: string) =>
      int((await opened.db.knex('accounts').where({ id: accountId }).first()).stored_bytes);
    /** How the database performs the last query of `read`. */
    async function planOf(read: () => Promise<unknown>): Promise<string> {
      const { knex, dialect } = opened.db;
      const asked: { sql: string; bindings: string[] }[] = [];
      knex.on('query', (statement) => asked.push(statement));
      await read();
      knex.removeAllListeners('query');
      const { sql = '', bindings = [] } = asked.at(-1) ?? {};
      const explain = dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL';
      const reply = await knex.raw(`${explain} ${sql}`, bindings);
      const steps: Record<string, unknown>[] = dialect.name === 'sqlite' ? reply : reply[0];
      return steps.map(({ detail, key, Extra }) => detail ?? `USING INDEX ${key} (${Extra})`).join('; ');
    }
    const everyPage = { purpose: null, limit: 100, after: null };

    test('a file is found as it was added, and only by its account', async () => {
      const [mine, theirs] = [await customer(), await customer()];
      const file = await enter(mine, { filename: 'Größe 🐟.jsonl', bytes: 50 * 2 ** 20 });
      assert.deepEqual(await files.find(wholeAccount(mine), file.id), file);
      assert.equal(await files.find(wholeAccount(theirs), file.id), null);
      assert.equal(await files.find(wholeAccount(mine), newFileId(ids)), null);
      assert.equal(await storedBytes(mine), 50 * 2 ** 20);
    });

    test('adding a file twice adds and counts it once', async () => {
      const accountId = await customer();
      const { contentGone: _, ...file } = await enter(accountId);
      await files.add(file);
      assert.equal((await files.list(wholeAccount(accountId), everyPage)).length, 1);
      assert.equal(await storedBytes(accountId), 10);
    });

    test('what an active batch has written counts as stored, and once only when the batch has ended', async () => {
      const accountId = await customer();
      await enter(accountId, { bytes: 5 });
      await opened.db.knex('batches').insert(newBatchRow(batchRow({ accountId, id: 'batch_written' })));
      const sizes = { output_bytes: 90, error_bytes: 7 };
      await opened.db.knex('batches').where({ id: 'batch_written' }).update(sizes);
      const occupying = async (bytes: number) =>
        (await occupyingIn(opened.db)(bytes, 10)).filter((each) => each.accountId === accountId);
      assert.equal(await files.storedBytes(accountId), 102);
      assert.deepEqual([await occupying(101), await occupying(102)], [[{ accountId, bytes: 102 }], []]);
      await opened.db.knex('batches').where({ id: 'batch_written' }).update({ status: 'completed' });
      assert.equal(await files.storedBytes(accountId), 5);
      assert.deepEqual(await occupying(5), []);
    });

    test('a list is newest first, page by page, and only of the account', async () => {
      const [mine, theirs] = [await customer(), await customer()];
      const newestFirst = (await enterSome(mine, 5)).map(({ id }) => id).reverse();
      await enter(theirs);
      const page = async (after: string | null) =>
        (await files.list(wholeAccount(mine), { purpose: null, limit: 2, after })).map(({ id }) => id);
      assert.deepEqual(await page(null), newestFirst.slice(0, 2));
      assert.deepEqual(await page(newestFirst[1] ?? ''), newestFirst.slice(2, 4));
      assert.deepEqual(await page(newestFirst[3] ?? ''), newestFirst.slice(4));
      assert.deepEqual(await page(newestFirst[4] ?? ''), []);
    });

    test('a file with an id that was made before its row is listed where it was written, after each cursor', async () => {
      const accountId = await customer();
      const early = newFileId(ids);
      const created = [];
      for (const [createdAtMs, id] of [[1], [2], [3, early], [3], [4]] as const) {
        created.push(await enter(accountId, { createdAtMs, purpose: 'batch_output', ...(id && { id }) }));
      }
      const newestFirst = created.map(({ id }) => id).reverse();
      for (const purpose of [null, 'batch_output'] as const) {
        for (const reach of [wholeAccount(accountId), { accountId, keyId: 'key_1' }]) {
          for (const [read, after] of [null, ...newestFirst].entries()) {
            const rows = await files.list(reach, { purpose, limit: 2, after });
            assert.deepEqual(
              rows.map(({ id }) => id),
              newestFirst.slice(read, read + 2),
            );
          }
        }
      }
    });

    test('a key that reaches only its own finds and lists no file of another key, nor one that nobody knows the key of', async () => {
      const accountId = await customer();
      const own = await enter(accountId, { keyId: 'key_2' });
      const others = [await enter(accountId), await enter(accountId, { keyId: null })];
      const reach = { accountId, keyId: 'key_2' };
      assert.deepEqual(await files.list(reach, everyPage), [own]);
      assert.deepEqual(await files.list(reach, { ...everyPage, after: others[0]?.id ?? '' }), [own]);
      assert.deepEqual(await files.find(reach, own.id), own);
      for (const { id } of others) assert.equal(await files.find(reach, id), null);
      assert.equal((await files.list(wholeAccount(accountId), everyPage)).length, 3);
    });

    test('a list of one purpose leaves out the others, and its cursor may be a file of any', async () => {
      const accountId = await customer();
      const [first] = await enterSome(accountId, 1, { purpose: 'batch_output' });
      const [other] = await enterSome(accountId, 1);
      const [last] = await enterSome(accountId, 1, { purpose: 'batch_output' });
      const list = async (purpose: FilePurpose, after: string | null = null) =>
        (await files.list(wholeAccount(accountId), { purpose, limit: 10, after })).map(({ id }) => id);
      assert.deepEqual(await list('batch_output'), [last?.id, first?.id]);
      assert.deepEqual(await list('batch_output', other?.id), [first?.id]);
      assert.deepEqual(await list('batch_errors'), []);
    });

    test('a list starts again when its cursor is unknown, deleted, or someone else’s', async () => {
      const [mine, theirs] = [await customer(), await customer()];
      const [oldest, middle] = await enterSome(mine, 3);
      const foreign = await enter(theirs);
      await files.remove(mine, middle?.id ?? '');
      for (const after of [newFileId(ids), middle?.id ?? '', foreign.id, 'nonsense']) {
        const rows = await files.list(wholeAccount(mine), { ...everyPage, after });
        assert.equal(rows.length, 2);
        assert.equal(rows.at(-1)?.id, oldest?.id);
      }
    });

    test('a removed file is gone and no longer counts; only the first removal returns true', async () => {
      const [mine, theirs] = [await customer(), await customer()];
      const { id } = await enter(mine);
      assert.equal(await files.remove(theirs, id), false);
      const removed = await Promise.all([files.remove(mine, id), files.remove(mine, id)]);
      assert.deepEqual(removed.sort(), [false, true]);
      assert.equal(await files.find(wholeAccount(mine), id), null);
      assert.equal(await storedBytes(mine), 0);
    });

    test('a file whose content is gone keeps its row and its size, but no longer counts', async () => {
      const accountId = await customer();
      const file = await enter(accountId);
      await files.markGone(accountId, file.id);
      await files.markGone(accountId, file.id);
      assert.deepEqual(await files.find(wholeAccount(accountId), file.id), { ...file, contentGone: true });
      assert.equal(await storedBytes(accountId), 0);
      await files.remove(accountId, file.id);
      assert.equal(await storedBytes(accountId), 0);
    });

    test('expired files come earliest first, page by page, and only while their content exists', async () => {
      const accountId = await customer();
      const due = [
        await enter(accountId, { expiresAtMs: 3 }),
        ...(await enterSome(accountId, 2, { expiresAtMs: 1 })),
        await enter(accountId, { expiresAtMs: 2 }),
      ].sort((one, other) => one.expiresAtMs - other.expiresAtMs || (one.id < other.id ? -1 : 1));
      await enter(accountId, { expiresAtMs: 4 });
      const read: FileRow[] = [];
      for (let after: FileRow | null = null; ; ) {
        const page = await index.expired(3, { limit: 2, after });
        read.push(...page);
        after = page.at(-1) ?? null;
        if (!after) break;
      }
      assert.deepEqual(read, due);
      for (const { id } of due) await files.markGone(accountId, id);
      assert.deepEqual(await index.expired(3, { limit: 2, after: null }), []);
    });

    test('the oldest of an account come first, page by page, and only while their content exists', async () => {
      const accountId = await customer();
      const [first, second, third] = await enterSome(accountId, 3);
      const after = first ?? null;
      assert.deepEqual(await index.oldest(accountId, { limit: 2, after: null }), [first, second]);
      assert.deepEqual(await index.oldest(accountId, { limit: 2, after }), [second, third]);
      assert.deepEqual(await index.newest(accountId, { limit: 2, after: null }), [third, second]);
      assert.deepEqual(await index.newest(accountId, { limit: 2, after: second ?? null }), [first]);
      await files.markGone(accountId, first?.id ?? '');
      assert.deepEqual(await index.oldest(accountId, { limit: 1, after: null }), [second]);
    });

    test('a file with an id that was made before its row is as old as its row, not as its id', async () => {
      const accountId = await customer();
      const early = newFileId(ids);
      const oldest = [
        await enter(accountId, { createdAtMs: 1 }),
        await enter(accountId, { createdAtMs: 2, id: early }),
        await enter(accountId, { createdAtMs: 2 }),
        await enter(accountId, { createdAtMs: 3 }),
      ];
      for (const [read, after] of [null, ...oldest].entries()) {
        assert.deepEqual(await index.oldest(accountId, { limit: 2, after }), oldest.slice(read, read + 2));
      }
    });

    test('an index has the rows of every list in order, however many files the account has', async () => {
      const accountId = await customer();
      const row = fileRecord(await enter(accountId));
      const rows = Array.from({ length: 2000 }, (_, made) => ({
        ...{ ...row, id: newFileId(ids), created_at_ms: made, key_id: `key_${made % 5}` },
        ...{ purpose: filePurposes[made % 3] ?? 'batch', content_gone: made < 1500 ? 1 : 0 },
      }));
      await opened.db.knex.batchInsert('files', rows, 100);
      if (tested.name === 'MariaDB') await opened.db.knex.raw('ANALYZE TABLE files');
      const [newest = null] = await files.list(wholeAccount(accountId), everyPage);
      const page = { purpose: null, limit: 5 };
      for (const file of [null, newest]) {
        const after = file?.id ?? null;
        const reads = [
          ['files_by_account', () => files.list(wholeAccount(accountId), { ...page, after })],
          ['files_by_purpose', () => files.list(wholeAccount(accountId), { ...page, purpose: 'batch', after })],
          ['files_by_key', () => files.list({ accountId, keyId: 'key_1' }, { ...page, after })],
          ['files_by_age', () => index.oldest(accountId, { limit: 5, after: file })],
          ['files_by_age', () => index.newest(accountId, { limit: 5, after: file })],
          ['files_by_expiry', () => index.expired(fileExpiryMs(clock.nowMs(), 31), { limit: 5, after: file })],
        ] as const;
        for (const [used, read] of reads) {
          const plan = await planOf(read);
          assert.match(plan, new RegExp(`INDEX ${used} `));
          assert.doesNotMatch(plan, /TEMP B-TREE|filesort/, used);
        }
      }
    });

    test('a row is deleted a month after its expiry, and only when its content is gone', async () => {
      const accountId = await customer();
      const monthMs = 30 * 86_400_000;
      // The tests before this one left rows that expired earlier.
      await sweepFileRows(opened.db, 1000 + monthMs - 1);
      const [gone, kept] = await enterSome(accountId, 2, { expiresAtMs: 1000 });
      await files.markGone(accountId, gone?.id ?? '');
      assert.equal(await sweepFileRows(opened.db, 1000 + monthMs - 1), 0);
      assert.equal(await sweepFileRows(opened.db, 1000 + monthMs), 1);
      assert.deepEqual(await files.list(wholeAccount(accountId), everyPage), [kept]);
    });
  });
}
