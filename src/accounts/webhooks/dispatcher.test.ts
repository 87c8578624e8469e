/** Deliveries from the outbox to a receiver over HTTP, in the time of the test. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { idSource } from '#base/id.ts';
import { seededRandom } from '#base/random.ts';
import { DAY_MS } from '#base/time.ts';
import { writing } from '#storage/database/transaction.ts';
import { tellOne } from '#storage/journal/outbox.ts';
import { accountEvents } from '#storage/journal/webhook-event.ts';
import { fundedAccount, type OpenedJournal, openJournaled, testedDatabases } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { isSignedWith, type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { EndpointStore } from './endpoint-store.ts';
import { OutboxStore } from './outbox-store.ts';
import { SEND_MS_MAX } from './sender.ts';
import { newSigningSecret } from './signature.ts';

const [sqlite] = testedDatabases;

describe('webhooks are delivered', () => {
  let clock: ManualClock;
  let opened: OpenedJournal;
  let receiver: WebhookReceiver;
  let accountId: string;
  const dispatchers: Dispatcher[] = [];
  const logged: object[] = [];

  beforeEach(async () => {
    assert.ok(sqlite);
    clock = new ManualClock(startMs);
    opened = await openJournaled(sqlite, clock);
    receiver = await webhookReceiver();
    accountId = await fundedAccount(opened.db, clock, 10n);
    logged.length = 0;
  });
  afterEach(async () => {
    await Promise.all(dispatchers.splice(0).map((one) => one.close()));
    await receiver.close();
    await opened.drop();
  });

  function start(more: Partial<DispatcherOptions> = {}): Dispatcher {
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => logged.push(fields) };
    const { db, journal } = opened;
    const dispatcher = new Dispatcher({
      ...{ clock, journal, log, random: seededRandom(1), allow: [receiver.host], mailer: null, isOutage: () => false },
      ...{ store: new OutboxStore({ db, clock }), ...more },
    });
    dispatchers.push(dispatcher);
    return dispatcher;
  }
  const endpoints = () => new EndpointStore({ db: opened.db, clock, ids: idSource(clock) });
  const by = () => ({ email: 'ada@example.com', accountId });
  const create = (url = receiver.url) =>
    endpoints().create(by(), {
      ...{ url, description: '', events: accountEvents, allOrders: false, prices: [], enabled: true },
    });
  const send = async (id: string) => (await endpoints().test(by(), id)).eventId;
  const deliveries = (id: string) => endpoints().deliveries(accountId, id, 100);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const isBusy = () => dispatchers.some(({ busy }) => busy);
  /** Looks again each second until this holds and what led to it is done; time stands still while something is under way. */
  async function seconds(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) {
      await turn();
      if (!isBusy()) await clock.advance(1_000);
    }
    while (isBusy()) await turn();
  }
  const delivered = async (id: string) => (await deliveries(id)).every(({ deliveredAtMs }) => deliveredAtMs !== null);
  const ids = () => receiver.came.map(({ id }) => id);

  test('signed, as JSON, and listed with the status', async () => {
    start();
    const { endpoint, secret } = await create();
    const eventId = await send(endpoint.id);
    await seconds(() => delivered(endpoint.id));
    const [message] = receiver.came;
    assert.ok(message);
    assert.equal(message.id, eventId);
    assert.equal(message.headers['content-type'], 'application/json');
    assert.ok(isSignedWith(secret, message));
    assert.ok(!isSignedWith(newSigningSecret(), message));
    assert.equal(message.body.type, 'webhook.test');
    const [delivery] = await deliveries(endpoint.id);
    assert.deepEqual([delivery?.attempts, delivery?.lastStatus, delivery?.lastError], [1, 204, null]);
  });

  test('with both secrets while one is replaced', async () => {
    start();
    const { endpoint, secret } = await create();
    const rotated = await endpoints().rotate(by(), endpoint.id, DAY_MS);
    await send(endpoint.id);
    await seconds(() => delivered(endpoint.id));
    const [message] = receiver.came;
    assert.ok(message && isSignedWith(secret, message) && isSignedWith(rotated.secret, message));
  });

  test('again after five seconds and twice as long each time, and those of one object in their order', async () => {
    start();
    const { endpoint } = await create();
    const sent = [await send(endpoint.id), await send(endpoint.id), await send(endpoint.id)];
    const at: number[] = [];
    receiver.answer = (_, response) => {
      at.push(clock.nowMs());
      response.writeHead(at.length <= 4 ? 500 : 200).end();
    };
    await seconds(() => delivered(endpoint.id));
    assert.deepEqual(ids(), [...Array(5).fill(sent[0]), sent[1], sent[2]]);
    const waits = at.slice(1, 5).map((ms, index) => ms - (at[index] ?? 0));
    // A tenth more by chance; the rest is that a second passes between two looks, and some while an answer is under way.
    for (const [index, least] of [5_000, 10_000, 20_000, 40_000].entries())
      assert.ok((waits[index] ?? 0) >= least, `${waits}`);
    const { attempts, lastStatus } = (await deliveries(endpoint.id)).at(-1) ?? {};
    assert.deepEqual([attempts, lastStatus], [5, 200]);
  });

  test('to an endpoint that answers while another hangs or is down', async () => {
    start({ allow: [receiver.host, '127.0.0.1:1'] });
    const hangs = await create(`${receiver.url}/hangs`);
    const down = await create('http://127.0.0.1:1/');
    const answers = await create();
    for (const { endpoint } of [hangs, down, answers]) await send(endpoint.id);
    receiver.answer = ({ path }, response) => {
      if (!path.endsWith('/hangs')) response.end();
    };
    await clock.advance(1_000);
    const tried = async (id: string) => (await deliveries(id)).some(({ attempts }) => attempts > 0);
    while (!((await delivered(answers.endpoint.id)) && (await tried(down.endpoint.id)))) await turn();
    assert.equal((await deliveries(down.endpoint.id))[0]?.lastError, 'The connection failed: ECONNREFUSED.');
    assert.ok(!(await tried(hangs.endpoint.id)));
    while (!receiver.came.some(({ path }) => path.endsWith('/hangs'))) await turn();
    // Then time stands still again: a slow commit would find the next attempt due, which hangs as well.
    await clock.advance(SEND_MS_MAX);
    await seconds(() => tried(hangs.endpoint.id));
    assert.equal((await deliveries(hangs.endpoint.id))[0]?.lastError, 'There was no answer within 10 s.');
  });

  test('for three days, then the endpoint is disabled and an error logged; switched on it gets what it is owed', async () => {
    const dispatcher = start();
    const { endpoint } = await create();
    const first = await send(endpoint.id);
    receiver.answer = (_, response) => response.writeHead(503).end();
    const state = async () => (await endpoints().list(accountId)).find(({ id }) => id === endpoint.id);
    await seconds(() => receiver.came.length === 3);
    assert.equal((await state())?.enabled, true);
    const firstAtMs = clock.nowMs() - 3 * DAY_MS;
    await opened.db.knex('webhook_messages').update({ first_at_ms: firstAtMs });
    await seconds(async () => (await state())?.enabled === false);
    const off = await state();
    assert.equal(off?.disabledReason, 'A message could not be delivered for three days. It answered with 503.');
    assert.equal(receiver.came.length, 4);
    await clock.advance(60_000);
    assert.equal(receiver.came.length, 4, 'nothing more is sent');
    assert.deepEqual(
      logged.map((line) => 'webhook' in line && line.webhook),
      [endpoint.id],
    );
    assert.equal(dispatcher.counts.delivered, 0);
    receiver.answer = (_, response) => response.end();
    await endpoints().change(by(), endpoint.id, { enabled: true });
    await seconds(() => delivered(endpoint.id));
    assert.equal(ids().at(-1), first);
    assert.equal((await state())?.disabledReason, null);
  });

  test('no more to a receiver that says 410', async () => {
    start();
    const { endpoint } = await create();
    await send(endpoint.id);
    receiver.answer = (_, response) => response.writeHead(410).end();
    await seconds(async () => (await endpoints().list(accountId)).some(({ enabled }) => !enabled));
    assert.equal(receiver.came.length, 1);
  });

  test('never to a forbidden address, even one put into the database by hand', async () => {
    start({ allow: [] });
    const { endpoint } = await create('https://169.254.169.254/latest/meta-data/');
    await send(endpoint.id);
    await seconds(async () => (await deliveries(endpoint.id))[0]?.attempts === 1);
    const [delivery] = await deliveries(endpoint.id);
    assert.match(delivery?.lastError ?? '', /^169\.254\.169\.254 is not a host of the public internet\./);
  });

  test('but not on to where a redirect leads, and the list says so', async () => {
    start();
    const { endpoint } = await create();
    await send(endpoint.id);
    receiver.answer = (_, response) => response.writeHead(302, { location: `${receiver.url}/further` }).end();
    await seconds(async () => (await deliveries(endpoint.id))[0]?.attempts === 2);
    const [delivery] = await deliveries(endpoint.id);
    assert.equal(delivery?.lastError, 'It answered with a redirect (302), which is not followed.');
    assert.deepEqual(
      receiver.came.map(({ path }) => path),
      ['/hooks', '/hooks'],
    );
  });

  test('by one gateway at a time, and by another when that one is gone', async () => {
    let owner = 1;
    start({ mayRun: () => owner === 1 });
    start({ mayRun: () => owner === 2 });
    const { endpoint } = await create();
    for (let sent = 0; sent < 20; sent++) await send(endpoint.id);
    await clock.advance(1_000);
    while (receiver.came.length < 5) await turn();
    owner = 2;
    await dispatchers[0]?.close();
    await seconds(() => delivered(endpoint.id));
    const order = (await deliveries(endpoint.id)).map(({ eventId }) => eventId).reverse();
    // One that was cut may come again; first arrivals are in order.
    assert.deepEqual([...new Set(ids())], order);
  });

  /** Messages of as many objects, as many changes leave them. */
  const owe = (to: { accountId: string; id: string }, count: number) =>
    writing(opened.db, async (trx) => {
      for (let at = 0; at < count; at++) {
        const name = `${to.id}-${at}`;
        const happening = { eventId: `evt_${name}`, objectId: name, atMs: clock.nowMs(), data: {} };
        await tellOne(trx, to, { type: 'order.done', ...happening });
      }
    });

  test('eight of one account at a time, whatever endpoints it has, so that others are served beside it', async () => {
    start();
    const hanging = [
      await create(`${receiver.url}/1`),
      await create(`${receiver.url}/2`),
      await create(`${receiver.url}/3`),
    ];
    for (const { endpoint } of hanging) await owe(endpoint, 8);
    const other = await fundedAccount(opened.db, clock, 10n);
    const settings = { description: '', events: accountEvents, allOrders: false, prices: [], enabled: true };
    const theirs = { email: 'ben@example.com', accountId: other };
    const { endpoint } = await endpoints().create(theirs, { url: receiver.url, ...settings });
    await owe(endpoint, 100);
    const isTheirs = ({ path }: { path: string }) => path === '/hooks';
    receiver.answer = (message, response) => {
      if (isTheirs(message)) response.end();
    };
    await clock.advance(1_000);
    while (receiver.came.filter(isTheirs).length < 100) await turn();
    while (receiver.came.length < 108) await turn();
    assert.equal(receiver.came.filter((message) => !isTheirs(message)).length, 8);
  });

  test('no more to an endpoint that is owed more than a database should keep', async () => {
    const store = new OutboxStore({ db: opened.db, clock });
    class SmallOutbox extends OutboxStore {
      override owesMore(id: string) {
        return super.owesMore(id, 250);
      }
    }
    start({ store: new SmallOutbox({ db: opened.db, clock }) });
    const { endpoint } = await create();
    await owe(endpoint, 250);
    assert.deepEqual([await store.owesMore(endpoint.id, 249), await store.owesMore(endpoint.id, 250)], [true, false]);
    await seconds(() => receiver.came.length === 250);
    const late = await create(`${receiver.url}/late`);
    await owe(late.endpoint, 251);
    const state = async () => (await endpoints().list(accountId)).find(({ id }) => id === late.endpoint.id);
    await seconds(async () => (await state())?.enabled === false);
    assert.equal((await state())?.disabledReason, 'More than 100000 messages waited for it.');
    assert.equal(receiver.came.length, 250);
  });

  test('no more to an endpoint that has failed for three days, though each message was tried but once', async () => {
    start();
    const { endpoint } = await create();
    receiver.answer = (_, response) => response.writeHead(503).end();
    await owe(endpoint, 1);
    await seconds(() => receiver.came.length === 1);
    await seconds(async () => (await deliveries(endpoint.id))[0]?.attempts === 1);
    await opened.db.knex('webhook_messages').delete();
    // The dispatcher looks several times a second, and three days have many: the date alone moves.
    clock.step(3 * DAY_MS);
    await owe(endpoint, 1);
    const state = async () => (await endpoints().list(accountId)).find(({ id }) => id === endpoint.id);
    await seconds(async () => (await state())?.enabled === false);
    assert.match(String((await state())?.disabledReason), /for three days/);
  });
});
