/** When alerts send messages, on every database. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '#access/member.ts';
import { idSource } from '#base/id.ts';
import { silentLog } from '#base/log.ts';
import { MINUTE_MS } from '#base/time.ts';
import { orderRecord } from '#storage/records/order.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { orderRow, startMs } from '#testing/order-fixtures.ts';
import { Keys } from '../keys/key-store.ts';
import { EndpointStore } from '../webhooks/endpoint-store.ts';
import { type NewRule, RULES_MAX, RuleStore } from './rule-store.ts';
import { RuleWatch } from './rule-watch.ts';

const LOOK_MS = 15_000;

for (const tested of testedDatabases) {
  describe(`alerts on ${tested.name}`, { skip: tested.skip }, () => {
    let clock: ManualClock;
    let opened: OpenedJournal;
    let accountId: string;
    let endpointId: string;
    const watches: RuleWatch[] = [];
    beforeEach(async () => {
      clock = new ManualClock(startMs);
      opened = await openJournaled(tested, clock);
      accountId = await fundedAccount(opened.db, clock, 1_000n);
      endpointId = await slack();
      watch();
    });
    afterEach(async () => {
      await Promise.all(watches.splice(0).map((one) => one.close()));
      await opened.drop();
    });

    const parts = () => ({ db: opened.db, clock, ids: idSource(clock) });
    const watch = () => watches.push(new RuleWatch({ ...parts(), log: silentLog }));
    const by = () => ({ email: 'ada@example.com', accountId });
    const slack = async () => {
      const settings = { events: [], description: '', allOrders: false, prices: [], enabled: true };
      const { endpoint } = await new EndpointStore(parts()).create(
        by(),
        { ...settings, url: 'https://s.example/' },
        'slack',
      );
      return endpoint.id;
    };
    const rules = () => new RuleStore(parts());
    const create = (rule: Partial<NewRule>) =>
      rules().create(by(), {
        endpointId,
        subject: 'balance',
        model: null,
        keyId: null,
        above: false,
        bound: 500n,
        ...rule,
      });
    test('others get their turn between two alerts that count orders', async () => {
      const { id } = await create({ subject: 'errors', above: true, bound: 1n });
      const row = await opened.db.knex('alert_rules').where({ id }).first();
      await opened.db.knex('alert_rules').insert({ ...row, id: `${id}-2`, account_id: 'another' });
      let turns = 0;
      const counted: number[] = [];
      const turn = () => {
        turns++;
        next = setImmediate(turn);
      };
      let next = setImmediate(turn);
      opened.db.knex.on('query', ({ sql }) => {
        if (sql.includes('from `orders`')) counted.push(turns);
      });
      await look();
      clearImmediate(next);
      assert.equal(new Set(counted).size, 2);
    });

    test('an address that several accounts name at the same moment is asked once', async () => {
      const others = [];
      for (let n = 0; n < 8; n++) others.push(await fundedAccount(opened.db, clock, 0n));
      const settings = { events: [], description: '', allOrders: false, prices: [], enabled: true };
      const asked = others.map((id) =>
        new EndpointStore(parts()).create(
          { email: 'ada@example.com', accountId: id },
          { ...settings, url: 'reader@example.com' },
          'mail',
        ),
      );
      const outcomes = (await Promise.allSettled(asked)).map((outcome) =>
        outcome.status === 'fulfilled' ? 'asked' : Reflect.get(outcome.reason, 'code'),
      );
      assert.deepEqual(outcomes.sort(), ['asked', ...Array(7).fill('invalid_request')]);
      assert.deepEqual(await types(), ['mail.confirm']);
    });

    const sent = async () =>
      (await opened.db.knex('webhook_messages').orderBy('seq')).map(({ body }) => JSON.parse(body));
    const types = async () => (await sent()).map(({ type }) => type.replace('alert.', ''));
    /** Looks once, and then as often as this takes. */
    const look = async (ms = LOOK_MS) => {
      for (let passedMs = 0; passedMs < ms; passedMs += LOOK_MS) {
        await clock.advance(LOOK_MS);
        while (watches.some(({ busy }) => busy)) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    let levels = 0;
    const level = (price: number) =>
      opened.journal.write({ kind: 'level', model: 'tide-70b', levelSeq: ++levels, level: price, atMs: clock.nowMs() });
    const balance = (amount: bigint) =>
      opened.db.knex('accounts').where({ id: accountId }).update({ balance: amount.toString() });

    test('a price fires once however long it lasts, and again only after five minutes on the other side', async () => {
      levels = 0;
      await create({ subject: 'price', model: 'tide-70b', bound: 400n });
      await level(401);
      await look();
      assert.deepEqual(await types(), []);
      await level(400);
      await look(2 * LOOK_MS);
      assert.deepEqual(await types(), ['fired']);
      for (const price of [401, 400]) {
        await level(price);
        await look(4 * MINUTE_MS);
      }
      assert.deepEqual(await types(), ['fired'], 'it swings around the bound');
      await level(500);
      await look(5 * MINUTE_MS + LOOK_MS);
      assert.deepEqual(await types(), ['fired', 'resolved']);
      await level(300);
      await look();
      assert.deepEqual(await types(), ['fired', 'resolved', 'fired']);
      const [first] = await sent();
      const { id, ...facts } = first.data;
      assert.deepEqual(facts, {
        ...{ object: 'alert', subject: 'price', model: 'tide-70b', key: null, direction: 'below' },
        ...{ bound: 400e-9, value: 400e-9 },
      });
      assert.equal((await rules().list(accountId))[0]?.id, id);
    });

    test('two gateways that look at the same time send one message', async () => {
      watch();
      watch();
      await create({});
      await balance(499n);
      await look();
      assert.deepEqual(await types(), ['fired']);
    });

    test('a gateway without the lease compares nothing', async () => {
      await Promise.all(watches.splice(0).map((one) => one.close()));
      watches.push(new RuleWatch({ ...parts(), log: silentLog, mayRun: () => false }));
      await create({});
      await balance(499n);
      await look();
      assert.deepEqual(await types(), []);
    });

    test('a paused alert sends nothing, and one that is resumed begins as a new one', async () => {
      const { id } = await create({});
      await balance(1n);
      await look();
      await rules().pause(by(), id, true);
      await look();
      await rules().pause(by(), id, false);
      await look();
      assert.deepEqual(await types(), ['fired', 'fired']);
    });

    test('a target that is off, or full, gets no message, and the state is kept', async () => {
      await create({});
      await opened.db.knex('webhook_endpoints').where({ id: endpointId }).update({ enabled: 0 });
      await balance(1n);
      await look();
      assert.deepEqual(await types(), []);
      assert.equal((await rules().list(accountId))[0]?.firing, true);
      await opened.db.knex('webhook_endpoints').where({ id: endpointId }).update({ enabled: 1 });
      const row = { endpoint_id: endpointId, event_id: 'evt_x', type: 'webhook.test', object_id: 'x', body: '{}' };
      for (let count = 0; count < 100; count++)
        await opened.db.knex('webhook_messages').insert({ ...row, created_at_ms: clock.nowMs() });
      await balance(1_000n);
      await look(5 * MINUTE_MS + LOOK_MS);
      assert.equal((await sent()).length, 100);
      assert.equal((await rules().list(accountId))[0]?.firing, false);
    });

    test('a share of a budget, by the name of its key; a key whose row is broken holds up no other', async () => {
      const keys = new Keys(parts());
      const [bad, good] = [
        await keys.create(accountId, { budget: 100n }, COMMAND_LINE),
        await keys.create(accountId, { name: 'laptop', budget: 1_000n, reset: 'day' }, COMMAND_LINE),
      ];
      for (const { key } of [bad, good])
        await create({ subject: 'budget', keyId: key.id, above: true, bound: 900_000_000n });
      await opened.db.knex('api_keys').where({ id: bad.key.id }).update({ budget_reset: 'yearly' });
      const spend = (spent: bigint) =>
        opened.db
          .knex('api_keys')
          .where({ id: good.key.id })
          .update({ budget_spent: spent.toString(), budget_from_ms: startMs });
      await spend(899n);
      await look();
      assert.deepEqual(await types(), []);
      await spend(925n);
      await look();
      const [first] = await sent();
      assert.deepEqual([first.data.key, first.data.bound, first.data.value], ['laptop', 0.9, 0.925]);
      const none = await keys.create(accountId, {}, COMMAND_LINE);
      await assert.rejects(create({ subject: 'budget', keyId: none.key.id }), /no budget/);
    });

    test('500 alerts on failing orders read the orders of each account once in a look', async () => {
      const { id } = await create({ subject: 'errors', above: true, bound: 1n });
      const row = await opened.db.knex('alert_rules').where({ id }).first();
      const copies = Array.from({ length: 499 }, (_, at) => ({
        ...row,
        id: `${id}-${at}`,
        account_id: `acc-${at % 9}`,
      }));
      await opened.db.knex.batchInsert('alert_rules', copies, 50);
      let reads = 0;
      opened.db.knex.on('query', ({ sql }) => {
        if (sql.includes('from `orders`')) reads++;
      });
      await look();
      assert.equal(reads, 10);
    });

    test('an alert knows since when it is quiet once it was looked at, and again after it was paused', async () => {
      const { id } = await create({});
      const since = async () => (await rules().list(accountId))[0]?.sinceMs;
      assert.equal(await since(), null);
      await look();
      const firstMs = clock.nowMs();
      assert.equal(await since(), firstMs);
      await look();
      assert.equal(await since(), firstMs);
      for (const paused of [true, false]) await rules().pause(by(), id, paused);
      assert.equal(await since(), null);
      await look();
      assert.deepEqual([await since(), await types()], [clock.nowMs(), []]);
    });

    test('a share of orders that fail, once ten have ended', async () => {
      await create({ subject: 'errors', above: true, bound: 500_000_000n });
      const order = async (status: 'done' | 'error', ageMs = 0) => {
        const row = orderRow({ accountId, status, createdAtMs: clock.nowMs() - ageMs });
        await opened.db.knex('orders').insert(orderRecord(row));
      };
      for (let count = 0; count < 10; count++) await order('error', 15 * MINUTE_MS);
      for (let count = 0; count < 9; count++) await order('error');
      await look();
      assert.deepEqual(await types(), []);
      await order('done');
      await look();
      assert.deepEqual(await types(), ['fired']);
      assert.equal((await sent())[0].data.value, 0.9);
      for (let count = 0; count < 9; count++) await order('done');
      await look(5 * MINUTE_MS + LOOK_MS);
      assert.deepEqual(await types(), ['fired', 'resolved']);
    });

    test('an account has 50 alerts at most, and they go with their target', async () => {
      for (let count = 0; count < RULES_MAX; count++) await create({});
      await assert.rejects(create({}), /50 alerts already/);
      await new EndpointStore(parts()).remove(by(), endpointId);
      assert.deepEqual(await rules().list(accountId), []);
      await assert.rejects(create({}), /no target/);
    });
  });
}
