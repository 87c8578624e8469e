/**
 * Four thousand webhooks (two thousand on MariaDB) from a gateway that is killed three times, to receivers that fail a third of
 * the time: each is delivered, those of one object in their order, and none before its change has committed or when it never
 * did. A tenth are of orders over HTTP; the others are written as the gateway writes them, in transactions, a fifth
 * of them rolled back.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { EndpointStore } from '#accounts/webhooks/endpoint-store.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { seededRandom } from '#base/random.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { tell } from '#storage/journal/outbox.ts';
import { accountEvents, testOf } from '#storage/journal/webhook-event.ts';
import { testedDatabases } from '#testing/databases.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import {
  isSignedWith,
  type ReceivedMessage,
  type WebhookReceiver,
  webhookReceiver,
} from '#testing/webhook-receiver.ts';

/** How much there is: each statement of MariaDB is a way over the network. `kills`: when so many have been taken. */
const SIZES = {
  SQLite: { orders: 400, objectsOfAccount: 300, kills: [400, 1_600, 3_000], least: 4_000 },
  MariaDB: { orders: 200, objectsOfAccount: 150, kills: [200, 800, 1_500], least: 2_000 },
} as const;
const EVENTS_OF_OBJECT = 3;
const ACCOUNTS = 4;
const OBJECTS_AT_ONCE = 50;
const CALLERS = 8;

interface Buyer {
  readonly accountId: string;
  readonly key: string;
  readonly secret: string;
}

function configuration(receiver: string): string {
  const sizes = { context_length: 4096, max_output_length: 64 };
  const pods = [1, 2, 3, 4].map((n) => ({ id: `sim-${n}`, simulated: true, slots: 16, seed: n }));
  const prices = { cached: 0.01, uncached: 0.1, output: 0.4 };
  return JSON.stringify({
    default_model: 'harbor',
    models: [{ id: 'harbor', type: 'fixed', ...sizes, usd_per_million: prices, pods }],
    probes: { enabled: false },
    webhooks: { allow: [receiver] },
  });
}

const ids = idSource(systemClock);

for (const tested of testedDatabases)
  describe(`webhooks of a gateway that is killed, on ${tested.name}`, { skip: tested.skip }, () => {
    const size = SIZES[tested.name];
    const random = seededRandom(7);
    let receiver: WebhookReceiver;
    let site: Site;
    let made: Awaited<ReturnType<typeof tested.make>>;
    let db: Database;
    let gateway: GatewayProcess;
    const buyers: Buyer[] = [];
    /** Messages that the receiver took, in the order of their first arrival; how often each came. */
    const taken = new Map<string, ReceivedMessage>();
    const came = new Map<string, number>();
    const complaints: string[] = [];

    before(async () => {
      made = await tested.make();
      receiver = await webhookReceiver();
      receiver.answer = (message, response) => {
        void take(message).then((status) => {
          // Now and then it works, and the gateway does not learn it.
          if (status === 0) response.destroy();
          else response.writeHead(status).end();
        });
      };
      site = await makeSite(configuration(receiver.host), { DATABASE_URL: made.url });
      gateway = await site.start();
      db = openDatabase(made.url);
      const endpoints = new EndpointStore({ db, clock: systemClock, ids });
      for (let number = 0; number < ACCOUNTS; number++) {
        const { json: account } = await site.command('account', 'create', 'buyer', '--credit', '100');
        const accountId = String(account.account_id);
        const { json } = await site.command('key', 'create', accountId);
        const settings = { description: '', events: accountEvents, allOrders: false, prices: [], enabled: true };
        const { secret } = await endpoints.create(
          { email: 'test', accountId },
          { ...settings, url: `${receiver.url}/${number}` },
        );
        buyers.push({ accountId, key: String(json.api_key), secret });
      }
    });
    after(async () => {
      await gateway?.stop();
      await db?.close();
      await receiver?.close();
      site?.remove();
      await made?.drop();
    });

    /** The status to answer with; 0 for none. A third of the first attempts fail, and never two in a row. */
    async function take(message: ReceivedMessage): Promise<number> {
      const { id, path, body } = message;
      const times = (came.get(id) ?? 0) + 1;
      came.set(id, times);
      const buyer = buyers[Number(path.split('/').at(-1))];
      if (!buyer || !isSignedWith(buyer.secret, message)) complaints.push(`${id} is not signed`);
      if (body.type.startsWith('order.')) {
        const [order] = await db.knex('orders').where({ id: body.data.id });
        if (`order.${order?.status}` !== body.type) complaints.push(`${id} came before its order was ${body.type}`);
      }
      const fate = times === 1 ? random.next() * 3 : 3;
      if (fate < 0.5) return 500;
      if (fate < 0.8) return 0;
      if (!taken.has(id)) taken.set(id, message);
      return fate < 1 ? 0 : 204;
    }

    /** Orders with an Idempotency-Key, again until they are answered. */
    async function order(number: number): Promise<void> {
      const { key = '' } = buyers[number % ACCOUNTS] ?? {};
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `k-${number}`,
      };
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], max_tokens: 1 });
      for (;;) {
        const sent = fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
        const status = await sent.then(
          async (reply) => {
            await reply.arrayBuffer();
            return reply.status;
          },
          () => 0,
        );
        if (status === 200) return;
        await pause(100);
      }
    }

    /** Writes the events of some objects of an account, or rolls them back. */
    async function happen(accountId: string, objects: readonly string[], isKept: boolean): Promise<void> {
      const undone = new Error('rolled back');
      const work = writing(db, async (trx) => {
        for (let event = 0; event < EVENTS_OF_OBJECT; event++)
          for (const object of objects) {
            const happening = testOf(object, `evt_${isKept ? '' : 'never_'}${object}_${event}`, systemClock.nowMs());
            await tell(trx, accountId, { ...happening, type: 'price.crossed' });
          }
        if (!isKept) throw undone;
      });
      await work.catch((error) => {
        if (error !== undone) throw error;
      });
    }

    test('reach receivers that fail, each and in order, across three kills', async () => {
      const numbers = Array.from({ length: size.orders }, (_, number) => number).values();
      const callers = Array.from({ length: CALLERS }, async () => {
        for (const number of numbers) await order(number);
      });
      const happenings = async () => {
        for (let at = 0; at < size.objectsOfAccount; at += OBJECTS_AT_ONCE)
          for (const { accountId } of buyers) {
            const objects = Array.from({ length: OBJECTS_AT_ONCE }, () => ids.uuid());
            if ((at / OBJECTS_AT_ONCE) % 5 === 0) await happen(accountId, objects, false);
            await happen(accountId, objects, true);
          }
      };
      const kills = async () => {
        for (const number of size.kills) {
          while (taken.size < number) await pause(5);
          await gateway.kill();
          gateway = await site.start();
        }
      };
      await Promise.all([...callers, happenings(), kills()]);

      const due = async () =>
        Number((await db.knex('webhook_messages').whereNotNull('next_at_ms').count({ n: '*' }))[0]?.n);
      while ((await due()) > 0) await pause(20);

      assert.deepEqual(complaints, []);
      const orders = await db.knex('orders').whereIn(
        'account_id',
        buyers.map(({ accountId }) => accountId),
      );
      // An order that a kill ended had its key freed, and was sent again: both ends are sent.
      assert.ok(orders.length >= size.orders);
      for (const { id, status } of orders) {
        assert.ok(['done', 'error', 'canceled'].includes(status), `${id} is ${status}`);
        assert.equal(taken.get(`evt_${id}`)?.body.type, `order.${status}`, id);
      }
      assert.equal(taken.size, ACCOUNTS * size.objectsOfAccount * EVENTS_OF_OBJECT + orders.length);
      assert.ok(taken.size >= size.least);
      assert.deepEqual(
        [...taken.keys()].filter((id) => id.startsWith('evt_never')),
        [],
      );
      const seen = new Map<string, number>();
      for (const [id, { body }] of taken) {
        if (body.type !== 'price.crossed') continue;
        const object = String(body.data.id);
        const event = seen.get(object) ?? 0;
        assert.equal(id, `evt_${object}_${event}`, 'the events of an object come in order');
        seen.set(object, event + 1);
      }
      const again = [...came.values()].filter((times) => times > 1).length;
      assert.ok(again > taken.size / 4, `${again} came more than once`);
    });
  });
