/** Statements that a server does not answer by the deadline. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { idSource } from '#base/id.ts';
import { fundedAccount, type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { until } from '#testing/until.ts';
import { type Database, openDatabase, withDeadline } from './database.ts';
import { isOverdue } from './dialects/dialect.ts';
import { writing } from './transaction.ts';

for (const tested of testedDatabases.filter(({ name }) => name === 'MariaDB')) {
  describe(`a deadline on ${tested.name}`, { skip: tested.skip }, () => {
    test('a transaction with an overdue statement is overdue, and not tried again', async () => {
      const opened = await openTested(tested);
      const answering = withDeadline(opened.db, 2_000);
      let tries = 0;
      try {
        const written = writing(answering, async (trx) => {
          tries++;
          await trx.raw('SELECT SLEEP(10)');
        });
        await assert.rejects(written, isOverdue);
        assert.equal(tries, 1);
      } finally {
        await answering.close();
        await opened.drop();
      }
    });

    describe('that passes while a key is committed', () => {
      const clock = new ManualClock(startMs);
      const parts = { clock, ids: idSource(clock) };
      let opened: OpenedDatabase;
      let proxy: TcpProxy;
      let answering: Database;
      let keys: Keys;
      let accountId: string;
      /** Its answer, and all after it, is held back. */
      let held = '';

      beforeEach(async () => {
        opened = await openTested(tested);
        accountId = await fundedAccount(opened.db, clock, 0n);
        proxy = new TcpProxy(() => (direction, bytes) => {
          if (direction === 'toward' && held !== '' && bytes.includes(held)) {
            held = '';
            proxy.delay(Number.POSITIVE_INFINITY, 'back');
          }
          return bytes;
        });
        const url = new URL(opened.url);
        proxy.target = { port: Number(url.port) };
        url.port = String(await proxy.listen());
        const db = openDatabase(url.href);
        answering = withDeadline(db, 3_000);
        await db.close();
        keys = new Keys({ db: answering, ...parts });
        // Opens the connection.
        await keys.list(accountId);
      });
      afterEach(async () => {
        await answering.close();
        await proxy.close();
        await opened.drop();
      });

      const all = () => new Keys({ db: opened.db, ...parts }).list(accountId);
      const active = async () => (await all()).filter(({ revokedAtMs }) => revokedAtMs === null);

      test('the caller is refused, and the key is revoked, so that a second call makes no second key', async () => {
        held = 'COMMIT';
        await assert.rejects(keys.create(accountId, {}, COMMAND_LINE), isOverdue);
        await until(async () => (await all()).length === 1);
        proxy.delay(0, 'back');
        await until(async () => (await active()).length === 0);
        const { key } = await keys.create(accountId, {}, COMMAND_LINE);
        assert.deepEqual(
          (await active()).map(({ id }) => id),
          [key.id],
        );
      });

      test('a rotation is undone: the secret that its owner has is accepted, and the other is not', async () => {
        const { key, secret } = await keys.create(accountId, {}, COMMAND_LINE);
        const before = await opened.db.knex('api_keys').where({ id: key.id }).first();
        held = 'COMMIT';
        await assert.rejects(keys.rotate(key.id, { overlapMs: 60_000 }, COMMAND_LINE), isOverdue);
        const row = () => opened.db.knex('api_keys').where({ id: key.id }).first();
        await until(async () => (await row()).previous_hash === before.hash);
        proxy.delay(0, 'back');
        await until(async () => (await row()).hash === before.hash);
        assert.deepEqual(await row(), before);
        assert.equal((await keys.revoke(secret, COMMAND_LINE)).id, key.id);
      });
    });
  });
}
