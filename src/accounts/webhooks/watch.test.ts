/** Events of levels, pods, balances and budgets, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { DAY_MS } from '#base/time.ts';
import { accountEvents, operatorEvents } from '#storage/journal/webhook-event.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit, startMs } from '#testing/order-fixtures.ts';
import { BalanceAlerts } from '../account/balance-alerts.ts';
import { Keys } from '../keys/key-store.ts';
import { type EndpointSettings, EndpointStore } from './endpoint-store.ts';
import { type WatchedPod, WebhookWatch } from './watch.ts';

const SETTINGS = { url: 'https://example.com/', description: '', allOrders: false, prices: [], enabled: true };

for (const tested of testedDatabases) {
  describe(`what webhooks watch on ${tested.name}`, { skip: tested.skip }, () => {
    let clock: ManualClock;
    let opened: OpenedJournal;
    let accountId: string;
    let watch: WebhookWatch;
    let pods: readonly WatchedPod[] = [];
    beforeEach(async () => {
      clock = new ManualClock(startMs);
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 1_000_000n);
      watch = new WebhookWatch({ db: opened.db, clock, ids: idSource(clock), log: silentLog, pods: () => pods });
    });
    afterEach(async () => {
      await watch.close();
      await opened.drop();
    });

    const parts = () => ({ db: opened.db, clock, ids: idSource(clock) });
    const create = async (change: Partial<EndpointSettings> = {}, of = accountId) => {
      const store = new EndpointStore(parts(), () => 'whsec_x');
      const settings = { ...SETTINGS, events: of === '' ? operatorEvents : accountEvents, ...change };
      return (await store.create(of === '' ? COMMAND_LINE : { email: 'ada@example.com', accountId: of }, settings))
        .endpoint;
    };
    const told = async () =>
      (await opened.db.knex('webhook_messages').orderBy('seq')).map(({ body }) => JSON.parse(body));
    /** Looks once. */
    const look = async () => {
      await clock.advance(2_000);
      while (watch.busy) await new Promise((resolve) => setImmediate(resolve));
    };
    let levels = 0;
    const level = (price: number) =>
      opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: ++levels, level: price, atMs: clock.nowMs() });

    test('a level that crosses a price is reported each time, in its direction, and not when it is first seen', async () => {
      levels = 0;
      await create({ prices: [{ model: 'tide-70b', price: 400 }] });
      await create({ prices: [{ model: 'tide-70b', price: 900 }], events: ['order.done'] });
      for (const price of [500, 399, 399, 400, 1000]) {
        await level(price);
        await look();
      }
      assert.deepEqual(
        (await told()).map(({ type, data }) => [type, data.model, data.direction, data.level_usd, data.threshold_usd]),
        [
          ['price.crossed', 'tide-70b', 'down', 399e-9, 400e-9],
          ['price.crossed', 'tide-70b', 'up', 400e-9, 400e-9],
        ],
      );
    });

    test('an account that watches many prices holds up no other, and receives all of its own in turn', async () => {
      levels = 0;
      // Made first, so that its rows are the first in the table.
      const many = Array.from({ length: 300 }, (_, at) => ({ model: 'tide-70b', price: 400 + at }));
      for (let made = 0; made < 2; made++) await create({ prices: many, url: 'https://many.example/' });
      const other = await fundedAccount(opened.db, clock, 0n);
      const { id } = await create({ prices: [{ model: 'tide-70b', price: 900 }] }, other);
      await level(100);
      const seen = async () =>
        Number((await opened.db.knex('webhook_prices').whereNotNull('above').count({ n: '*' }))[0]?.n);
      for (let looks = 1; looks <= 12; looks++) {
        await look();
        // The other's one at the first look.
        assert.equal(await seen(), Math.min(50 * looks, 600) + 1);
      }
      let toldOf: number[] = [];
      for (const [turn, price] of [1000, 100, 1000].entries()) {
        await level(price);
        await look();
        const messages: { endpoint_id: string; object_id: string }[] = await opened.db.knex('webhook_messages');
        assert.equal(messages.filter((message) => message.endpoint_id === id).length, turn + 1);
        toldOf = [...toldOf, messages.length];
      }
      // Down again, only those cross that had been reported as up.
      assert.deepEqual(toldOf, [51, 102, 153]);
      for (let looks = 0; looks < 11; looks++) await look();
      const rows = await opened.db.knex('webhook_prices').where({ above: 0 });
      assert.deepEqual(rows, [], 'the level is above all of them, and all were reported');
    });

    test('a pod that goes down and comes back is reported to the operator, once each, and what is not known yet is not', async () => {
      await create({}, '');
      await create();
      const seen = (...states: readonly [string, boolean, number | null][]) => {
        pods = states.map(([pod, healthy, sinceMs]) => ({ pod, healthy, sinceMs }));
      };
      seen(['a', true, 1], ['b', false, null], ['c', false, 1]);
      await look();
      seen(['a', false, 2], ['b', true, 2], ['c', false, 1]);
      await look();
      await look();
      seen(['a', true, 3], ['b', true, 2], ['c', true, 3]);
      await look();
      assert.deepEqual(
        (await told()).map(({ type, data }) => [type, data.id]),
        [
          ['pod.down', 'c'],
          ['pod.down', 'a'],
          ['pod.up', 'a'],
          ['pod.up', 'c'],
        ],
      );
      pods = [];
    });

    test('a balance below an alert of the account is reported when it falls, with the alert', async () => {
      await create();
      const alerts = new BalanceAlerts(parts());
      const by = { email: 'ada@example.com', accountId };
      await alerts.set(by, [2_000_000n, 500n]);
      await alerts.set(by, [2_000_000n, 500n]);
      assert.deepEqual(
        (await told()).map(({ type, data }) => [type, data]),
        [['balance.low', { object: 'balance', below_usd: 0.002, balance_usd: 0.001 }]],
      );
    });

    test('what always fails keeps nothing else from being compared', async () => {
      await create({ prices: [{ model: 'tide-70b', price: 400 }] });
      const keys = new Keys(parts());
      const [bad, good] = [
        await keys.create(accountId, {}, COMMAND_LINE),
        await keys.create(accountId, { budget: 100n }, COMMAND_LINE),
      ];
      await opened.db.knex('api_keys').where({ id: bad.key.id }).update({ budget_reset: 'yearly' });
      watch.budgetSpent(accountId, bad.key.id);
      watch.budgetSpent(accountId, good.key.id);
      levels = 0;
      for (const price of [500, 399]) {
        await level(price);
        await look();
      }
      assert.deepEqual(
        (await told()).map(({ type }) => type),
        ['key.budget_reached', 'price.crossed'],
      );
    });

    test('a budget that is spent, or too small for an order, is reported once in its period', async () => {
      await create();
      const keys = new Keys(parts());
      const { key } = await keys.create(accountId, { name: 'laptop', budget: 100n, reset: 'day' }, COMMAND_LINE);
      const run = async (hold: bigint, charge: bigint | null) => {
        const order = orderRow({ accountId, keyId: key.id, budgetFromMs: 0 });
        const admission = { ...admissionOf(hold), atMs: clock.nowMs(), budgetKey: key.id };
        const { result } = await opened.journal.write(acceptUnit(order, { admission }));
        if (charge !== null)
          await opened.journal.write({ ...settleUnit(order, charge), keyId: key.id, budgeted: true });
        return result;
      };
      await run(60n, 60n);
      assert.deepEqual(await told(), []);
      await run(40n, 40n);
      assert.equal(await run(10n, null), 'key-spent');
      watch.budgetSpent(accountId, key.id);
      await look();
      assert.deepEqual(
        (await told()).map(({ type, data }) => [type, data]),
        [
          [
            'key.budget_reached',
            {
              ...{ id: key.id, object: 'key', name: 'laptop', budget_usd: 100e-9 },
              period_from: new Date(startMs).toISOString(),
            },
          ],
        ],
      );
      await watch.close();
      clock = new ManualClock(startMs + DAY_MS);
      watch = new WebhookWatch({ ...parts(), log: silentLog, pods: () => [] });
      watch.budgetSpent(accountId, key.id);
      await look();
      watch.budgetSpent(accountId, key.id);
      await look();
      assert.equal((await told()).length, 2, 'the next day it is reported again');
    });
  });
}
