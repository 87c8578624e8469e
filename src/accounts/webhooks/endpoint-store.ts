/** The endpoints of accounts, and those of the operator, whose account is ''. Each change is one transaction with its row in the audit log. */
import type { Knex } from 'knex';
import { Fault } from '#base/fault.ts';
import { formatPrice } from '#base/money.ts';
import { codec } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, type Row, text, textOrNull } from '#storage/database/values.ts';
import { tellOne } from '#storage/journal/outbox.ts';
import { testOf } from '#storage/journal/webhook-event.ts';
import { lockAccount } from '#storage/records/account.ts';
import { logChange } from '../change-log.ts';
import type { Delivery, Endpoint, EndpointOwner, EndpointSettings, EndpointStore } from './ports.ts';
import { eventNames, refreshWants } from './wants.ts';

/** How many endpoints an account may have. */
export const ENDPOINTS_MAX = 20;
/** How many of them may hear of all orders. */
const ALL_ORDERS_MAX = 3;
/** With so many tests that still wait, no other is added. */
const TESTS_OWED_MAX = 10;
/** Rows per statement that deletes what an endpoint was owed. */
const STEP_ROWS = 1000;

/** What these endpoints need: `newSecret` makes one. */
export type EndpointOptions = OperatorOptions & { readonly newSecret: () => string };

/** The endpoints over a database. */
export function createEndpointStore(options: EndpointOptions): EndpointStore {
  const { db, clock, ids, newSecret } = options;

  /** Runs a change of one account's endpoints, one after the other, and brings up to date what the journal knows. */
  function changing<Answer>(accountId: string, work: (trx: Knex.Transaction) => Promise<Answer>): Promise<Answer> {
    return writing(db, async (trx) => {
      if (accountId === '') await takeTurn(trx, 'webhooks');
      else await lockAccount(trx, accountId);
      const answer = await work(trx);
      await refreshWants(trx, accountId);
      return answer;
    });
  }

  async function log(
    trx: Knex.Transaction,
    { who, accountId }: EndpointOwner,
    change: { what: string; subject: string; before: Endpoint | null; after: Endpoint | null },
  ): Promise<void> {
    const { before, after } = change;
    const row = { id: ids.uuid(), atMs: clock.nowMs(), accountId: accountId === '' ? null : accountId, who };
    await logChange(trx, { ...row, ...change, before: before && shown(before), after: after && shown(after) });
  }

  return {
    async list(accountId) {
      const rows: Row[] = await db.knex('webhook_endpoints').where({ account_id: accountId }).orderBy('id');
      return Promise.all(rows.map((row) => endpointFrom(db.knex, row)));
    },

    create: (by, settings) =>
      changing(by.accountId, async (trx) => {
        const others: Row[] = await trx('webhook_endpoints').where({ account_id: by.accountId });
        if (others.length >= ENDPOINTS_MAX) throw tooMany();
        checkAllOrders(settings, others);
        const id = ids.uuid();
        const secret = newSecret();
        const own = endpointColumns({ ...settings, id, accountId: by.accountId, createdAtMs: clock.nowMs() });
        await trx('webhook_endpoints').insert({ ...own, secret });
        await setPrices(trx, id, settings.prices);
        const endpoint = await find(trx, by.accountId, id);
        await log(trx, by, { what: 'webhook.create', subject: id, before: null, after: endpoint });
        return { endpoint, secret };
      }),

    change: (by, id, settings) =>
      changing(by.accountId, async (trx) => {
        const before = await find(trx, by.accountId, id);
        const wanted = { ...before, ...settings };
        checkAllOrders(wanted, await trx('webhook_endpoints').where({ account_id: by.accountId }).whereNot({ id }));
        const isOn = wanted.enabled && !before.enabled;
        const on = isOn ? { disabledReason: null, disabledAtMs: null } : {};
        await trx('webhook_endpoints')
          .where({ id })
          .update(endpointColumns({ ...settings, ...on }));
        if (isOn) await dueAgain(trx, id, clock.nowMs());
        await setPrices(trx, id, wanted.prices);
        const after = await find(trx, by.accountId, id);
        await log(trx, by, { what: 'webhook.change', subject: id, before, after });
        return after;
      }),

    async remove(by, id) {
      await changing(by.accountId, async (trx) => {
        const before = await find(trx, by.accountId, id);
        await trx('webhook_endpoints').where({ id }).delete();
        await trx('webhook_prices').where({ endpoint_id: id }).delete();
        await log(trx, by, { what: 'webhook.remove', subject: id, before, after: null });
      });
      // Nobody sends or shows them any more; what is left after a kill is deleted when it is old.
      for (let rows = STEP_ROWS; rows === STEP_ROWS; ) {
        const seqs = await db.knex('webhook_messages').where({ endpoint_id: id }).limit(STEP_ROWS).pluck('seq');
        rows = seqs.length;
        await writing(db, (trx) => trx('webhook_messages').whereIn('seq', seqs.map(String)).delete());
      }
    },

    rotate: (by, id, overlapMs) =>
      changing(by.accountId, async (trx) => {
        const before = await find(trx, by.accountId, id);
        const secret = newSecret();
        const previous = overlapMs > 0 ? { previous_secret: trx.ref('secret') } : { previous_secret: null };
        const until = { previous_until_ms: overlapMs > 0 ? clock.nowMs() + overlapMs : null };
        // MySQL assigns from left to right: the secret of before is kept first.
        await trx('webhook_endpoints')
          .where({ id })
          .update({ ...previous, ...until });
        await trx('webhook_endpoints').where({ id }).update({ secret });
        const endpoint = await find(trx, by.accountId, id);
        await log(trx, by, { what: 'webhook.rotate', subject: id, before, after: endpoint });
        return { endpoint, secret };
      }),

    test: (by, id) =>
      changing(by.accountId, async (trx) => {
        const before = await find(trx, by.accountId, id);
        const owed: Row[] = await trx('webhook_messages')
          .where({ endpoint_id: id, object_id: id })
          .whereNotNull('next_at_ms')
          .limit(TESTS_OWED_MAX);
        // They would pile up behind one that cannot be delivered, and be read at each look.
        const [first] = owed;
        if (first && owed.length === TESTS_OWED_MAX) return deliveryFrom(first);
        const eventId = `evt_${ids.uuid()}`;
        await tellOne(trx, before, testOf(id, eventId, clock.nowMs()));
        await log(trx, by, { what: 'webhook.test', subject: id, before, after: before });
        const row: Row = await trx('webhook_messages').where({ endpoint_id: id, event_id: eventId }).first();
        return deliveryFrom(row);
      }),

    resend: (by, id, eventId, among) =>
      changing(by.accountId, async (trx) => {
        const endpoint = await find(trx, by.accountId, id);
        const newest: Row[] = await newestMessages(trx, id, among);
        const row = newest.find((one) => text(one.event_id) === eventId);
        if (!row)
          throw new Fault('not_found', { message: `There is no message ${JSON.stringify(eventId)} to send again.` });
        const again = { ...dueNow(clock.nowMs()), delivered_at_ms: null };
        await trx('webhook_messages')
          .where({ seq: String(row.seq) })
          .update(again);
        await log(trx, by, { what: 'webhook.resend', subject: id, before: endpoint, after: endpoint });
        return deliveryFrom({ ...row, ...again });
      }),

    async deliveries(accountId, id, limit) {
      await find(db.knex, accountId, id);
      return (await newestMessages(db.knex, id, limit)).map(deliveryFrom);
    },
  };
}

/** Removes all endpoints of an account that is closed, within that transaction. */
export async function removeAllEndpoints(trx: Knex.Transaction, accountId: string): Promise<void> {
  const ids: string[] = await trx('webhook_endpoints').where({ account_id: accountId }).pluck('id');
  await trx('webhook_prices').whereIn('endpoint_id', ids).delete();
  await trx('webhook_endpoints').whereIn('id', ids).delete();
  await refreshWants(trx, accountId);
}

/** What it was owed is tried at once, and for three days from then. */
async function dueAgain(trx: Knex.Transaction, id: string, nowMs: number): Promise<void> {
  await trx('webhook_messages').where({ endpoint_id: id }).whereNotNull('next_at_ms').update(dueNow(nowMs));
}

/** What makes a message one that was never tried. */
function dueNow(nowMs: number) {
  return { next_at_ms: nowMs, first_at_ms: null, attempts: 0 };
}

function newestMessages(knex: Knex, endpointId: string, limit: number): Knex.QueryBuilder {
  return knex('webhook_messages').where({ endpoint_id: endpointId }).orderBy('seq', 'desc').limit(limit);
}

/** One that stays keeps what it was last compared with. */
async function setPrices(trx: Knex.Transaction, id: string, prices: EndpointSettings['prices']): Promise<void> {
  const known: Row[] = await trx('webhook_prices').where({ endpoint_id: id });
  const nameOf = ({ model, price }: { model: string; price: number }) => `${model} ${price}`;
  const wanted = new Map(prices.map((watched) => [nameOf(watched), watched]));
  for (const row of known) {
    const watched = { model: text(row.model), price: int(row.price) };
    if (wanted.delete(nameOf(watched))) continue;
    await trx('webhook_prices').where({ endpoint_id: id, model: watched.model, price: watched.price }).delete();
  }
  for (const { model, price } of wanted.values()) await trx('webhook_prices').insert({ endpoint_id: id, model, price });
}

async function find(knex: Knex, accountId: string, id: string): Promise<Endpoint> {
  const row: Row | undefined = await knex('webhook_endpoints').where({ id, account_id: accountId }).first();
  if (!row) throw new Fault('not_found', { message: `There is no webhook ${JSON.stringify(id)}.` });
  return endpointFrom(knex, row);
}

/** The endpoints, without the prices that they watch. */
const { from: plainEndpointFrom, some: endpointColumns } = codec<Omit<Endpoint, 'prices'>>({
  id: text,
  accountId: text,
  url: text,
  description: text,
  events: eventNames,
  allOrders: flag,
  enabled: flag,
  previousUntilMs: intOrNull,
  disabledReason: textOrNull,
  disabledAtMs: intOrNull,
  createdAtMs: int,
});

async function endpointFrom(knex: Knex, row: Row): Promise<Endpoint> {
  const endpoint = plainEndpointFrom(row);
  const prices: Row[] = await knex('webhook_prices').where({ endpoint_id: endpoint.id }).orderBy(['model', 'price']);
  return { ...endpoint, prices: prices.map(({ model, price }) => ({ model: text(model), price: int(price) })) };
}

const { from: deliveryFrom } = codec<Delivery>({
  seq: int,
  eventId: text,
  type: text,
  objectId: text,
  createdAtMs: int,
  attempts: int,
  lastAtMs: intOrNull,
  lastStatus: intOrNull,
  lastError: textOrNull,
  nextAtMs: intOrNull,
  deliveredAtMs: intOrNull,
});

/** What the log says of an endpoint; never a secret. */
function shown({ url, events, allOrders, prices, enabled, description }: Endpoint): object {
  const watched = prices.map(({ model, price }) => `${model} ${formatPrice(price)}`);
  return { url, description, events, all_orders: allOrders, prices: watched, enabled };
}

/** Each endpoint that hears of all orders is a row for each order of the account. */
function checkAllOrders({ allOrders }: Pick<EndpointSettings, 'allOrders'>, others: readonly Row[]): void {
  if (!allOrders || others.filter((row) => flag(row.all_orders)).length < ALL_ORDERS_MAX) return;
  const message = `all_orders: ${ALL_ORDERS_MAX} webhooks hear of all orders already; no account may have more.`;
  throw new Fault('invalid_request', { param: 'all_orders', message });
}

function tooMany(): Fault {
  return new Fault('invalid_request', { message: `There are ${ENDPOINTS_MAX} webhooks already; remove one.` });
}
