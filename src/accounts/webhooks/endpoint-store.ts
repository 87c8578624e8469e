/** The endpoints of accounts, and those of the operator, whose account is ''. */
import type { Knex } from 'knex';
import { type Actor, COMMAND_LINE } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { formatPrice, type PriceNano } from '#base/money.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, type Row, reasonOrNull, text } from '#storage/database/values.ts';
import { tellOne } from '#storage/journal/outbox.ts';
import { testOf } from '#storage/journal/webhook-event.ts';
import { LoggedStore } from '../change-log.ts';
import { eventNames, lockEndpoints, refreshWants } from './outbox-store.ts';
import { newSigningSecret } from './signature.ts';

/** How many endpoints an account may have. */
export const ENDPOINTS_MAX = 20;
/** How many of them may receive all orders. */
const ALL_ORDERS_MAX = 3;
/** With this many tests waiting, no other is added. */
const TESTS_OWED_MAX = 10;
/** How many of its messages an endpoint shows, and can have sent again. */
const DELIVERIES_SHOWN = 100;
/** Rows per statement that deletes what an endpoint was owed. */
const STEP_ROWS = 1000;

/** A level that an endpoint watches. */
export interface WatchedPrice {
  readonly model: string;
  /** USD per 1M input tokens at the reference mix, in nano-dollars. */
  readonly price: PriceNano;
}

/** The endpoints, without their secrets and the prices that they watch. */
const endpoints = described({
  id: text,
  /** '' for one of the operator. */
  accountId: text,
  url: text,
  description: text,
  events: eventNames,
  /** Also reports orders whose caller waits, and lines of batches. */
  allOrders: flag,
  enabled: flag,
  /** Until when the previous secret signs too; null when there is none. */
  previousUntilMs: intOrNull,
  /** Why the gateway disabled it, a sentence, and when; null when it did not. */
  disabledReason: reasonOrNull,
  disabledAtMs: intOrNull,
  createdAtMs: int,
});

/** An endpoint, without its secrets. */
export type Endpoint = ObjectOf<typeof endpoints> & { readonly prices: readonly WatchedPrice[] };

/** What is decided about an endpoint. */
export type EndpointSettings = Pick<Endpoint, 'url' | 'description' | 'events' | 'allOrders' | 'prices' | 'enabled'>;

const deliveries = described({
  seq: int,
  eventId: text,
  type: text,
  objectId: text,
  createdAtMs: int,
  attempts: int,
  lastAtMs: intOrNull,
  lastStatus: intOrNull,
  lastError: reasonOrNull,
  /** When it is tried next; null when it is delivered. */
  nextAtMs: intOrNull,
  deliveredAtMs: intOrNull,
});

/** How a delivery stands, as lists show it. */
export type Delivery = ObjectOf<typeof deliveries>;

/** An endpoint and, only this once, its secret. */
export interface EndpointWithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/**
 * The endpoints of accounts, which their members change, and those of the operator, which the command line changes. Each
 * change is one transaction with its row in the change log. An unknown id is always a Fault not_found.
 */
export class EndpointStore extends LoggedStore {
  readonly #newSecret: () => string;

  constructor(parts: OperatorOptions, newSecret = newSigningSecret) {
    super(parts);
    this.#newSecret = newSecret;
  }

  /** The oldest first; '' for those of the operator. */
  async list(accountId: string): Promise<Endpoint[]> {
    const { knex } = this.parts.db;
    const rows: Row[] = await knex('webhook_endpoints').where({ account_id: accountId }).orderBy('id');
    return Promise.all(rows.map((row) => endpointFrom(knex, row)));
  }

  /** A new endpoint. Throws Fault invalid_request when there are too many. */
  create(by: Actor, settings: EndpointSettings): Promise<EndpointWithSecret> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const others: Row[] = await trx('webhook_endpoints').where({ account_id: accountId });
      if (others.length >= ENDPOINTS_MAX)
        throw invalidRequest(null, `There are ${ENDPOINTS_MAX} webhooks already; remove one.`);
      checkAllOrders(settings, others);
      const id = this.parts.ids.uuid();
      const secret = this.#newSecret();
      const own = endpoints.some({ ...settings, id, accountId, createdAtMs: this.parts.clock.nowMs() });
      await trx('webhook_endpoints').insert({ ...own, secret });
      await setPrices(trx, id, settings.prices);
      const endpoint = await find(trx, accountId, id);
      await this.#logChange(trx, by, { what: 'webhook.create', subject: id, before: null, after: endpoint });
      return { endpoint, secret };
    });
  }

  /** Changes what is given. When it is enabled again, it gets its undelivered messages. */
  change(by: Actor, id: string, settings: Partial<EndpointSettings>): Promise<Endpoint> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id);
      const wanted = { ...before, ...settings };
      checkAllOrders(wanted, await trx('webhook_endpoints').where({ account_id: accountId }).whereNot({ id }));
      const { url, description, events, allOrders, enabled } = wanted;
      const isOn = enabled && !before.enabled;
      const on = isOn ? { disabledReason: null, disabledAtMs: null } : {};
      await trx('webhook_endpoints')
        .where({ id })
        .update(endpoints.some({ url, description, events, allOrders, enabled, ...on }));
      // Its undelivered messages are tried at once, and for three days from then.
      const owed = trx('webhook_messages').where({ endpoint_id: id }).whereNotNull('next_at_ms');
      if (isOn) await owed.update(dueNow(this.parts.clock.nowMs()));
      await setPrices(trx, id, wanted.prices);
      const after = await find(trx, accountId, id);
      await this.#logChange(trx, by, { what: 'webhook.change', subject: id, before, after });
      return after;
    });
  }

  /** Removes it, with its undelivered messages. */
  async remove(by: Actor, id: string): Promise<void> {
    await this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id);
      await trx('webhook_endpoints').where({ id }).delete();
      await trx('webhook_prices').where({ endpoint_id: id }).delete();
      await this.#logChange(trx, by, { what: 'webhook.remove', subject: id, before, after: null });
    });
    // They are no longer sent or shown; any left after a kill are deleted when they are old.
    for (let rows = STEP_ROWS; rows === STEP_ROWS; ) {
      const seqs = await this.parts.db
        .knex('webhook_messages')
        .where({ endpoint_id: id })
        .limit(STEP_ROWS)
        .pluck('seq');
      rows = seqs.length;
      await writing(this.parts.db, (trx) => trx('webhook_messages').whereIn('seq', seqs.map(String)).delete());
    }
  }

  /** A new secret; the one before signs, too, for `overlapMs` more. */
  rotate(by: Actor, id: string, overlapMs: number): Promise<EndpointWithSecret> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id);
      const secret = this.#newSecret();
      // MySQL assigns from left to right: the secret of before is kept first.
      await trx('webhook_endpoints')
        .where({ id })
        .update({
          previous_secret: overlapMs > 0 ? trx.ref('secret') : null,
          previous_until_ms: overlapMs > 0 ? this.parts.clock.nowMs() + overlapMs : null,
        });
      await trx('webhook_endpoints').where({ id }).update({ secret });
      const endpoint = await find(trx, accountId, id);
      await this.#logChange(trx, by, { what: 'webhook.rotate', subject: id, before, after: endpoint });
      return { endpoint, secret };
    });
  }

  /** Sends it a test. */
  test(by: Actor, id: string): Promise<Delivery> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id);
      const owed: Row[] = await trx('webhook_messages')
        .where({ endpoint_id: id, object_id: id })
        .whereNotNull('next_at_ms')
        .limit(TESTS_OWED_MAX);
      // They would pile up behind a message that cannot be delivered, and be read each time.
      const [first] = owed;
      if (first && owed.length === TESTS_OWED_MAX) return deliveries.from(first);
      const eventId = `evt_${this.parts.ids.uuid()}`;
      await tellOne(trx, before, testOf(id, eventId, this.parts.clock.nowMs()));
      await this.#logChange(trx, by, { what: 'webhook.test', subject: id, before, after: before });
      const row: Row = await trx('webhook_messages').where({ endpoint_id: id, event_id: eventId }).first();
      return deliveries.from(row);
    });
  }

  /** Has one of its newest 100 messages sent again. */
  resend(by: Actor, id: string, eventId: string): Promise<Delivery> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const endpoint = await find(trx, accountId, id);
      const newest: Row[] = await newestMessages(trx, id, DELIVERIES_SHOWN);
      const row = newest.find((one) => text(one.event_id) === eventId);
      if (!row)
        throw new Fault('not_found', { message: `There is no message ${JSON.stringify(eventId)} to send again.` });
      const again = { ...dueNow(this.parts.clock.nowMs()), delivered_at_ms: null };
      await trx('webhook_messages')
        .where({ seq: String(row.seq) })
        .update(again);
      await this.#logChange(trx, by, { what: 'webhook.resend', subject: id, before: endpoint, after: endpoint });
      return deliveries.from({ ...row, ...again });
    });
  }

  /** Its newest messages, the newest first. */
  async deliveries(accountId: string, id: string, limit = DELIVERIES_SHOWN): Promise<Delivery[]> {
    const { knex } = this.parts.db;
    await find(knex, accountId, id);
    return (await newestMessages(knex, id, limit)).map(deliveries.from);
  }

  /** Runs changes of one account's endpoints one after the other, and brings up to date what the journal knows of them. */
  #changeEndpoints<Answer>(
    by: Actor,
    work: (trx: Knex.Transaction, accountId: string) => Promise<Answer>,
  ): Promise<Answer> {
    // The operator's endpoints are of no account.
    const accountId = by === COMMAND_LINE ? '' : (by.accountId ?? '');
    return writing(this.parts.db, async (trx) => {
      await lockEndpoints(trx, accountId);
      const answer = await work(trx, accountId);
      await refreshWants(trx, accountId);
      return answer;
    });
  }

  async #logChange(
    trx: Knex.Transaction,
    by: Actor,
    change: { what: string; subject: string; before: Endpoint | null; after: Endpoint | null },
  ): Promise<void> {
    const { before, after } = change;
    await this.changes.log(trx, by, { ...change, before: before && shown(before), after: after && shown(after) });
  }
}

/** Removes all endpoints of an account that is closed, within that transaction. */
export async function removeAllEndpoints(trx: Knex.Transaction, accountId: string): Promise<void> {
  const ids: string[] = await trx('webhook_endpoints').where({ account_id: accountId }).pluck('id');
  await trx('webhook_prices').whereIn('endpoint_id', ids).delete();
  await trx('webhook_endpoints').whereIn('id', ids).delete();
  await refreshWants(trx, accountId);
}

/** Makes a message one that was never tried. */
function dueNow(nowMs: number) {
  return { next_at_ms: nowMs, first_at_ms: null, attempts: 0 };
}

function newestMessages(knex: Knex, endpointId: string, limit: number): Knex.QueryBuilder {
  return knex('webhook_messages').where({ endpoint_id: endpointId }).orderBy('seq', 'desc').limit(limit);
}

/** A price that stays keeps the level that it was last compared with. */
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

async function endpointFrom(knex: Knex, row: Row): Promise<Endpoint> {
  const endpoint = endpoints.from(row);
  const prices: Row[] = await knex('webhook_prices').where({ endpoint_id: endpoint.id }).orderBy(['model', 'price']);
  return { ...endpoint, prices: prices.map(({ model, price }) => ({ model: text(model), price: int(price) })) };
}

/** What the log says about an endpoint; never a secret. */
function shown({ url, events, allOrders, prices, enabled, description }: Endpoint): object {
  const watched = prices.map(({ model, price }) => `${model} ${formatPrice(price)}`);
  return { url, description, events, all_orders: allOrders, prices: watched, enabled };
}

/** Each endpoint that receives all orders is a row for each order of the account. */
function checkAllOrders({ allOrders }: Pick<EndpointSettings, 'allOrders'>, others: readonly Row[]): void {
  if (!allOrders || others.filter((row) => flag(row.all_orders)).length < ALL_ORDERS_MAX) return;
  const message = `all_orders: ${ALL_ORDERS_MAX} webhooks receive all orders already; no account may have more.`;
  throw invalidRequest('all_orders', message);
}
