/** The sweep of Idempotency-Keys, on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OpenedDatabase, openTested, testedDatabases } from '#testing/databases.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { sweepKeys } from '../cleanup/sweep-expired.ts';

for (const tested of testedDatabases) {
  describe(`sweep of keys on ${tested.name}`, { skip: tested.skip }, () => {
    let opened: OpenedDatabase;
    before(async () => {
      opened = await openTested(tested);
    });
    after(() => opened?.drop());

    const key = (name: string, expires_at_ms: number) => ({
      ...{ account_id: 'acct', endpoint: 'chat', idempotency_key: name, order_id: name, fingerprint: 'f' },
      ...{ created_at_ms: startMs, expires_at_ms },
    });

    test('a key goes when its time is over, and not before', async () => {
      const { db } = opened;
      const old = Array.from({ length: 1201 }, (_, at) => key(`old-${at}`, startMs - at));
      await db.knex.batchInsert('idempotency_keys', [...old, key('live', startMs + 1)], 100);
      assert.equal(await sweepKeys(db, startMs), 1201);
      assert.deepEqual(await db.knex('idempotency_keys').pluck('idempotency_key'), ['live']);
      assert.equal(await sweepKeys(db, startMs), 0);
    });
  });
}
