/** What is swept of the outbox on every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EndpointStore } from '#accounts/webhooks/endpoint-store.ts';
import { idSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { writing } from '../database/transaction.ts';
import { tellOne } from '../journal/outbox.ts';
import { accountEvents } from '../journal/webhook-event.ts';
import { sweepWebhooks } from './sweep-expired.ts';

for (const tested of testedDatabases) {
  describe(`old messages of webhooks on ${tested.name}`, { skip: tested.skip }, () => {
    const clock = new ManualClock(startMs);
    let opened: OpenedJournal;
    before(async () => {
      opened = await openJournaled(tested, clock);
    });
    after(() => opened.drop());

    test('are deleted, but for what an enabled endpoint is still owed', async () => {
      const { db } = opened;
      const accountId = await fundedAccount(db, clock, 10n);
      const by = { email: 'ada@example.com', accountId };
      const store = new EndpointStore({ db, clock, ids: idSource(clock) });
      const settings = { description: '', events: accountEvents, allOrders: false, prices: [], enabled: true };
      const [on, off, gone] = await Promise.all(
        ['on', 'off', 'gone'].map((name) => store.create(by, { ...settings, url: `https://example.com/${name}` })),
      );
      assert.ok(on && off && gone);
      const owe = (id: string, objectId: string) =>
        writing(db, (trx) => {
          const type = 'order.done' as const;
          const happening = { type, eventId: `evt_${objectId}`, objectId, atMs: clock.nowMs(), data: {} };
          return tellOne(trx, { accountId, id }, happening);
        });
      // More than are read at once, so that it goes on behind those that stay.
      for (let at = 0; at < 600; at++) await owe(on.endpoint.id, `owed ${at}`);
      await owe(on.endpoint.id, 'delivered');
      await owe(off.endpoint.id, 'off');
      await owe(gone.endpoint.id, 'gone');
      await db.knex('webhook_messages').where({ object_id: 'delivered' }).update({ next_at_ms: null });
      await store.change(by, off.endpoint.id, { enabled: false });
      await db.knex('webhook_endpoints').where({ id: gone.endpoint.id }).delete();
      await clock.advance(7 * DAY_MS);
      assert.equal(await sweepWebhooks(db, clock.nowMs()), 0);
      await clock.advance(1);
      await owe(on.endpoint.id, 'new');
      assert.equal(await sweepWebhooks(db, clock.nowMs()), 3);
      const left: string[] = await db.knex('webhook_messages').orderBy('seq').pluck('object_id');
      assert.deepEqual([left.length, left[0], left.at(-1)], [601, 'owed 0', 'new']);
    });
  });
}
