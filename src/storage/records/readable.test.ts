/** Rows that somebody damaged: lists, reads by id and the log, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { UsageStore } from '#accounts/ledger/usage-store.ts';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { wholeAccount } from '#base/reach.ts';
import { fileExpiryMs, newFileId } from '#batches/file.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { createBatchStore } from '../batches/store.ts';
import { openDatabase } from '../database/database.ts';
import type { Row } from '../database/values.ts';
import { createFileIndex, createFileStore } from '../files/store.ts';
import { createOrderStore, findOrderIn } from '../orders/store.ts';
import { newBatchRow } from './batch.ts';

const clock = new ManualClock(startMs);
const ids = idSource(clock);

for (const tested of testedDatabases) {
  describe(`rows that cannot be read on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedJournal;
    let accountId: string;
    let logged: Row[];
    let db: ReturnType<typeof openDatabase>;

    before(async () => {
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 10n ** 18n);
      logged = [];
      db = openDatabase(opened.url, { error: (fields) => logged.push({ ...fields }) });
    });
    after(async () => {
      await db?.close();
      await opened?.drop();
    });

    /** Makes six rows, damages the newest and the third, and returns all ids, the newest first. */
    async function sixOf(table: string, column: string, make: () => Promise<string>, key = 'id'): Promise<string[]> {
      const made: string[] = [];
      for (let at = 0; at < 6; at++) {
        await clock.advance(1);
        made.unshift(await make());
      }
      const damaged = made.filter((_, at) => at % 3 === 0);
      await opened.db
        .knex(table)
        .whereIn(key, damaged)
        .update({ [column]: 'zzz' });
      return made;
    }

    /** Pages of two lead to every row that can be read, and the log names each of the others once. */
    async function pagesAreFull(
      table: string,
      made: readonly string[],
      list: (
        after: { id: string; createdAtMs: number } | null,
      ) => Promise<readonly { id: string; createdAtMs: number }[]>,
    ): Promise<void> {
      logged.length = 0;
      const sound = made.filter((_, at) => at % 3 !== 0);
      const first = await list(null);
      assert.deepEqual(
        first.map(({ id }) => id),
        sound.slice(0, 2),
      );
      const second = await list(first[1] ?? null);
      assert.deepEqual(
        second.map(({ id }) => id),
        sound.slice(2),
      );
      await list(null);
      assert.deepEqual(
        logged.map((line) => [line.table, line.id]),
        [made[0], made[3]].map((id) => [table, id]),
      );
    }

    const refused = (error: unknown) =>
      error instanceof Fault &&
      error.code === 'internal_error' &&
      /the log of the gateway names the row/.test(error.message);

    test('orders', async () => {
      const made = await sixOf('orders', 'kind', async () => {
        const order = orderRow({ accountId, createdAtMs: clock.nowMs() });
        await opened.journal.write(acceptUnit(order));
        return order.id;
      });
      const store = createOrderStore(db);
      const any = { statuses: null, model: null, kind: null, batchId: null, idPrefix: null, fromMs: null, toMs: null };
      const filter = { ...wholeAccount(accountId), ...any };
      await pagesAreFull('orders', made, (after) => store.list(filter, { limit: 2, after: after?.id ?? null }));
      const [damaged = ''] = made;
      await assert.rejects(store.find(wholeAccount(accountId), damaged), refused);
      await assert.rejects(findOrderIn(db)(damaged), refused);
    });

    test('batches', async () => {
      const made = await sixOf('batches', 'kind', async () => {
        const {
          status: _,
          errors,
          inProgressAtMs,
          cancellingAtMs,
          endedAtMs,
          counts,
          sizes,
          ...batch
        } = batchRow({ accountId });
        await opened.db.knex('batches').insert(newBatchRow(batch));
        return batch.id;
      });
      made.sort().reverse();
      await opened.db.knex('batches').update({ kind: 'chat' });
      await opened.db
        .knex('batches')
        .whereIn(
          'id',
          made.filter((_, at) => at % 3 === 0),
        )
        .update({ kind: 'zzz' });
      const store = createBatchStore(db);
      await pagesAreFull('batches', made, (after) =>
        store.list(wholeAccount(accountId), { limit: 2, after: after?.id ?? null }),
      );
      await assert.rejects(store.find(wholeAccount(accountId), made[0] ?? ''), refused);
    });

    test('files, which the cleanup finds behind them, too', async () => {
      const files = createFileStore(db, opened.journal);
      const made = await sixOf('files', 'purpose', async () => {
        const [id, createdAtMs] = [newFileId(ids), clock.nowMs()];
        const file = { id, accountId, keyId: null, purpose: 'batch', filename: 'in.jsonl', bytes: 1 } as const;
        await files.add({ ...file, createdAtMs, expiresAtMs: fileExpiryMs(createdAtMs, 30) });
        return id;
      });
      const list = { purpose: null, limit: 2 };
      await pagesAreFull('files', made, (after) =>
        files.list(wholeAccount(accountId), { ...list, after: after?.id ?? null }),
      );
      await assert.rejects(files.find(wholeAccount(accountId), made[0] ?? ''), refused);
      const index = createFileIndex(db);
      const oldest = [made[5], made[4]];
      const ofIndex = [
        await index.oldest(accountId, { limit: 2, after: null }),
        await index.expired(1e15, { limit: 2, after: null }),
      ];
      for (const found of ofIndex)
        assert.deepEqual(
          found.map(({ id }) => id),
          oldest,
        );
      const [, next] = ofIndex[0] ?? [];
      assert.deepEqual(
        (await index.oldest(accountId, { limit: 2, after: next ?? null })).map(({ id }) => id),
        [made[2], made[1]],
      );
    });

    test('accounts and keys', async () => {
      const parts = { db, clock, ids };
      const [accounts, keys] = [new Accounts(parts), new Keys(parts)];
      const { id } = await accounts.create({ name: 'damaged' }, COMMAND_LINE);
      const made = await keys.create(accountId, { name: 'damaged' }, COMMAND_LINE);
      const sound = await keys.create(accountId, { name: 'sound' }, COMMAND_LINE);
      await opened.db.knex('accounts').where({ id }).update({ status: 'zzz' });
      await opened.db.knex('api_keys').where({ id: made.key.id }).update({ scopes: '{' });
      const listed = [...(await accounts.list({ limit: 9, after: null })), ...(await keys.list(accountId))];
      assert.deepEqual(
        listed.map((one) => one.id),
        [accountId, sound.key.id],
      );
    });

    test('usage records', async () => {
      const made = await sixOf(
        'usage_records',
        'pricing',
        async () => {
          const order = orderRow({ accountId, createdAtMs: clock.nowMs() });
          await opened.journal.write(acceptUnit(order, { admission: admissionOf(1n) }));
          await opened.journal.write(settleUnit(order, 1n, { finishedAtMs: clock.nowMs() }));
          return order.id;
        },
        'order_id',
      );
      const filter = { ...wholeAccount(accountId), model: null, fromMs: null, toMs: null };
      await pagesAreFull('usage_records', made, (after) => new UsageStore(db).list(filter, { limit: 2, after }));
    });
  });
}
