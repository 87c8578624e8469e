/** The endpoints of accounts, and those of the operator, whose account is ''. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type Actor, COMMAND_LINE } from '#access/member.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { secretText } from '#base/id.ts';
import { formatPrice, type PriceNano } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, type Row, reasonOrNull, text } from '#storage/database/values.ts';
import { tellOne } from '#storage/journal/outbox.ts';
import { confirmationOf, testOf } from '#storage/journal/webhook-event.ts';
import { LoggedStore } from '../change-log.ts';
import { type Channel, channelKind, channels, eventNames, lockEndpoints, refreshWants } from './outbox-store.ts';
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
/** How many messages people get in Slack or as mail from one target in a day. */
const MESSAGES_PER_DAY = 100;
/** How many addresses an account may have asked to confirm in a day; all accounts together ask an address once. */
const MAIL_REQUESTS_PER_DAY = 10;
/** How long a reader who stopped the mails is not asked again. */
const STOPPED_MS = 30 * DAY_MS;
/** Characters of the secret in the link of a mail: 256 bits. */
const LINK_LENGTH = 43;

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
  channel: channelKind,
  /** False for an e-mail address to which nothing is sent until its reader agrees. */
  confirmed: flag,
  /** The e-mail address where the channel is mail. */
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

/** What is decided about an endpoint. `channel`: only of a new one. */
export type EndpointSettings = Pick<Endpoint, 'url' | 'description' | 'events' | 'allOrders' | 'prices' | 'enabled'>;

const deliveries = described({
  seq: int,
  eventId: text,
  type: text,
  objectId: text,
  body: text,
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

  /** The oldest first; '' for those of the operator. Webhooks alone, unless other channels are named. */
  async list(accountId: string, of: readonly Channel[] = ['webhook']): Promise<Endpoint[]> {
    const { knex } = this.parts.db;
    const rows: Row[] = await knex('webhook_endpoints')
      .where({ account_id: accountId })
      .whereIn('channel', [...of])
      .orderBy('id');
    return Promise.all(rows.map((row) => endpointFrom(knex, row)));
  }

  /**
   * A new endpoint; an e-mail address is asked to confirm. Throws Fault invalid_request when there are too many, or the
   * address was asked today.
   */
  create(by: Actor, settings: EndpointSettings, channel: Channel = 'webhook'): Promise<EndpointWithSecret> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const others: Row[] = await trx('webhook_endpoints').where({ account_id: accountId });
      if (others.length >= ENDPOINTS_MAX)
        throw invalidRequest(null, `There are ${ENDPOINTS_MAX} webhooks and alert targets already; remove one.`);
      checkAllOrders(settings, others);
      const id = this.parts.ids.uuid();
      const confirmed = channel !== 'mail';
      const secret = confirmed ? this.#newSecret() : secretText(LINK_LENGTH);
      const createdAtMs = this.parts.clock.nowMs();
      const own = endpoints.some({ ...settings, channel, confirmed, id, accountId, createdAtMs });
      await trx('webhook_endpoints').insert({ ...own, secret });
      await setPrices(trx, id, settings.prices);
      const endpoint = await find(trx, accountId, id, channels);
      if (!confirmed) await this.#askToConfirm(trx, endpoint);
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
      if (isOn) await tryAgain(trx, id, this.parts.clock.nowMs());
      await setPrices(trx, id, wanted.prices);
      const after = await find(trx, accountId, id);
      await this.#logChange(trx, by, { what: 'webhook.change', subject: id, before, after });
      return after;
    });
  }

  /** Removes it, with its undelivered messages and its alerts. */
  async remove(by: Actor, id: string): Promise<void> {
    await this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id, channels);
      await trx('webhook_endpoints').where({ id }).delete();
      await trx('webhook_prices').where({ endpoint_id: id }).delete();
      await trx('alert_rules').where({ endpoint_id: id }).delete();
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

  /** Uses it again: one that is off is switched on, and an address that is not confirmed is asked again. */
  renew(by: Actor, id: string): Promise<Endpoint> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id, channels);
      if (!before.confirmed) await this.#askToConfirm(trx, before);
      if (!before.enabled) {
        await trx('webhook_endpoints')
          .where({ id })
          .update(endpoints.some({ enabled: true, disabledReason: null, disabledAtMs: null }));
        await tryAgain(trx, id, this.parts.clock.nowMs());
      }
      const after = await find(trx, accountId, id, channels);
      await this.#logChange(trx, by, { what: 'webhook.change', subject: id, before, after });
      return after;
    });
  }

  /**
   * What the reader of a mail decided by its link: whether alerts are sent to this address. If not, what
   * waits for it is deleted. Throws Fault not_found for any other text.
   */
  async answerMail(link: string, confirmed: boolean): Promise<void> {
    const [id = '', secret = ''] = link.split('.');
    const which = { id, channel: 'mail' };
    const row: Row | undefined = await this.parts.db.knex('webhook_endpoints').where(which).first();
    if (!row || !isSame(text(row.secret), secret))
      throw new Fault('not_found', { message: 'This link is no longer valid.' });
    const { accountId, url: email } = endpoints.from(row);
    await this.#changeEndpoints({ email, accountId: accountId === '' ? null : accountId }, async (trx) => {
      const before = await find(trx, accountId, id, channels);
      await trx('webhook_endpoints').where(which).update(endpoints.some({ confirmed }));
      const waiting = trx('webhook_messages').where({ endpoint_id: id }).whereNotNull('next_at_ms');
      if (!confirmed) {
        await waiting.delete();
        await noteRequest(trx, before, this.parts.clock.nowMs() + STOPPED_MS);
      }
      const change = { what: confirmed ? 'mail.confirm' : 'mail.stop', subject: id, before, after: before };
      await this.#logChange(trx, { email, accountId: before.accountId || null }, change);
    });
  }

  /** Sends it a test. Throws Fault invalid_request for an address that is not confirmed, or that got too much today. */
  test(by: Actor, id: string): Promise<Delivery> {
    return this.#changeEndpoints(by, async (trx, accountId) => {
      const before = await find(trx, accountId, id, channels);
      const nowMs = this.parts.clock.nowMs();
      if (!before.confirmed) throw invalidRequest(null, 'This address is not confirmed: its reader must agree first.');
      if (await isFull(trx, before, nowMs))
        throw invalidRequest(null, `This target got ${MESSAGES_PER_DAY} messages in a day; try again later.`);
      const owed: Row[] = await trx('webhook_messages')
        .where({ endpoint_id: id, object_id: id })
        .whereNotNull('next_at_ms')
        .limit(TESTS_OWED_MAX);
      // They would pile up behind a message that cannot be delivered, and be read each time.
      const [first] = owed;
      if (first && owed.length === TESTS_OWED_MAX) return deliveries.from(first);
      const eventId = `evt_${this.parts.ids.uuid()}`;
      await tellOne(trx, before, testOf(id, eventId, nowMs));
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
    await find(knex, accountId, id, channels);
    return (await newestMessages(knex, id, limit)).map(deliveries.from);
  }

  /** Sends the link to an address, once a day, for all accounts together. */
  async #askToConfirm(trx: Knex.Transaction, endpoint: Endpoint): Promise<void> {
    const { id, accountId: account_id } = endpoint;
    const nowMs = this.parts.clock.nowMs();
    const own = trx('mail_requests').where({ account_id });
    const today: string[] = await own
      .where('at_ms', '>', nowMs - DAY_MS)
      .limit(MAIL_REQUESTS_PER_DAY)
      .pluck('address');
    if (today.length === MAIL_REQUESTS_PER_DAY)
      throw invalidRequest('address', `${MAIL_REQUESTS_PER_DAY} addresses were asked to confirm within the last day.`);
    // Another account may ask at the same moment, so the row decides; it has to be there to be locked.
    const address = readerOf(endpoint);
    await trx('mail_requests').insert({ address, account_id, at_ms: 0 }).onConflict('address').ignore();
    const free = trx('mail_requests')
      .where({ address })
      .where('at_ms', '<=', nowMs - DAY_MS);
    if ((await free.update({ account_id, at_ms: nowMs })) === 0)
      throw invalidRequest(
        'address',
        'This address was asked to confirm within a day, or its reader stopped the mails.',
      );
    await tellOne(trx, endpoint, confirmationOf(id, `evt_${this.parts.ids.uuid()}`, nowMs));
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
  await trx('alert_rules').where({ account_id: accountId }).delete();
  await trx('webhook_endpoints').whereIn('id', ids).delete();
  await refreshWants(trx, accountId);
}

/** Has what an endpoint is owed tried at once, and for three days from then. */
async function tryAgain(trx: Knex.Transaction, id: string, nowMs: number): Promise<void> {
  await trx('webhook_messages').where({ endpoint_id: id }).whereNotNull('next_at_ms').update(dueNow(nowMs));
}

/** Who reads the mails of an address: what follows a plus sign is the reader's own, in most places. */
function readerOf({ url }: Endpoint): string {
  return url.replace(/(?<=.)\+[^@]*@/, '@');
}

/** From `atMs` on the address is asked no more for a day. */
async function noteRequest(trx: Knex.Transaction, endpoint: Endpoint, atMs: number): Promise<void> {
  const request = { address: readerOf(endpoint), account_id: endpoint.accountId, at_ms: atMs };
  await trx('mail_requests').insert(request).onConflict('address').merge();
}

/** Whether people got as much from this target in a day as they may. Never true of a webhook: programs read it. */
export async function isFull(
  trx: Knex.Transaction,
  { id, channel }: Pick<Endpoint, 'id' | 'channel'>,
  nowMs: number,
): Promise<boolean> {
  if (channel === 'webhook') return false;
  const today = trx('webhook_messages')
    .where({ endpoint_id: id })
    .where('created_at_ms', '>', nowMs - DAY_MS);
  return (await today.limit(MESSAGES_PER_DAY).pluck('seq')).length === MESSAGES_PER_DAY;
}

/** Takes as long for any text. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
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

/** Only a webhook, unless other channels are named: the secret of a mail is for its reader alone. */
async function find(
  knex: Knex,
  accountId: string,
  id: string,
  of: readonly Channel[] = ['webhook'],
): Promise<Endpoint> {
  const row: Row | undefined = await knex('webhook_endpoints')
    .where({ id, account_id: accountId })
    .whereIn('channel', [...of])
    .first();
  if (!row) throw new Fault('not_found', { message: `There is no webhook ${JSON.stringify(id)}.` });
  return endpointFrom(knex, row);
}

async function endpointFrom(knex: Knex, row: Row): Promise<Endpoint> {
  const endpoint = endpoints.from(row);
  const prices: Row[] = await knex('webhook_prices').where({ endpoint_id: endpoint.id }).orderBy(['model', 'price']);
  return { ...endpoint, prices: prices.map(({ model, price }) => ({ model: text(model), price: int(price) })) };
}

/** What the log says about an endpoint; never a secret. */
function shown(endpoint: Endpoint): object {
  const { events, allOrders, prices, enabled, description, channel, confirmed } = endpoint;
  const url = shownAddress(endpoint);
  if (channel !== 'webhook') return { channel, url, enabled, confirmed };
  const watched = prices.map(({ model, price }) => `${model} ${formatPrice(price)}`);
  return { url, description, events, all_orders: allOrders, prices: watched, enabled };
}

/** The address as people see it: one of Slack lets its holder write there. */
export function shownAddress({ channel, url }: Pick<Endpoint, 'channel' | 'url'>): string {
  return channel === 'slack' ? `${new URL(url).host} …${url.slice(-4)}` : url;
}

/** Each endpoint that receives all orders is a row for each order of the account. */
function checkAllOrders({ allOrders }: Pick<EndpointSettings, 'allOrders'>, others: readonly Row[]): void {
  if (!allOrders || others.filter((row) => flag(row.all_orders)).length < ALL_ORDERS_MAX) return;
  const message = `all_orders: ${ALL_ORDERS_MAX} webhooks receive all orders already; no account may have more.`;
  throw invalidRequest('all_orders', message);
}
