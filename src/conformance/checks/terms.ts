/** Checks of the terms of an order: its price limit, its lock, how long it waits, what is stored, and detached orders. */
import assert from 'node:assert/strict';
import {
  countIn,
  isEqual,
  isOneOf,
  jsonWith,
  marketCheck,
  objectIn,
  refused,
  refusedMessage,
  textIn,
  timeIn,
} from './check.ts';
import { isFixed, listed, otherModel } from './discovery.ts';
import { Absent, type Gateway, type HttpAnswer, type Json } from './gateway.ts';

/** These fields and headers of a chat are refused with 400. */
const refuses =
  (fields: Json, headers: Record<string, string> = {}) =>
  async (gateway: Gateway) =>
    refused(await gateway.chat(fields, headers), 400);

/** The receipt of a chat with these fields and headers. */
async function receiptOf(gateway: Gateway, fields: Json, headers: Record<string, string> = {}): Promise<Json> {
  if (isFixed(await listed(gateway))) throw new Absent('a fixed price');
  return objectIn(objectIn(jsonWith(await gateway.chat(fields, headers), 200), 'usage'), 'x_market');
}

/** The order of a chat with these fields and headers. */
async function orderOf(gateway: Gateway, fields: Json, headers: Record<string, string> = {}): Promise<Json> {
  const { order_id: id } = await receiptOf(gateway, fields, headers);
  return jsonWith(await gateway.get(`/v1/orders/${String(id)}?include=pricing`), 200);
}

/** How many seconds it may wait. */
const waitOf = (order: Json) => (timeIn(order, 'expires_at') - timeIn(order, 'created_at')) / 1000;

async function waits(gateway: Gateway, seconds: number, fields: Json, headers: Record<string, string> = {}) {
  const wait = waitOf(await orderOf(gateway, fields, headers));
  assert.ok(Math.abs(wait - seconds) < 1, `it may wait ${wait} seconds instead of ${seconds}`);
}

/** Another limit than the usual one. */
const another = (gateway: Gateway) => (gateway.priceLimit ?? 10) + 1;

const detached = (gateway: Gateway) => gateway.once('detached', () => gateway.chat({ detached: true }));
const collected = (gateway: Gateway) =>
  gateway.once('collected', async () => {
    const path = textIn(jsonWith(await detached(gateway), 202), 'result_url');
    const isDone = ({ json, status }: HttpAnswer) =>
      status !== 202 && !['queued', 'executing'].includes(String(json?.status));
    return jsonWith(await gateway.until(() => gateway.get(path), isDone), 200);
  });

export const terms = [
  marketCheck('4.2-24 2.9-1', 'the bid of a receipt is the price limit of the request', async (gateway) =>
    isEqual(await receiptOf(gateway, { price_limit: another(gateway) }), 'bid', another(gateway)),
  ),
  marketCheck('4.1-13', 'a price limit may be in X-Price-Limit', async (gateway) => {
    const limit = another(gateway);
    isEqual(await receiptOf(gateway, { price_limit: undefined }, { 'x-price-limit': String(limit) }), 'bid', limit);
  }),
  marketCheck('4.1-13 4.5-3 4.5-22', 'the price limit of a message may be in X-Max-Price', async (gateway) => {
    if (isFixed(await listed(gateway))) throw new Absent('a fixed price');
    const limit = another(gateway);
    const answer = await gateway.message({ max_price: undefined }, { 'x-max-price': String(limit) });
    isEqual(objectIn(objectIn(jsonWith(answer, 200), 'usage'), 'x_market'), 'bid', limit);
  }),
  marketCheck('4.4-34 4.4-37', 'the price limit of a response may be in X-Price-Limit', async (gateway) => {
    if (isFixed(await listed(gateway))) throw new Absent('a fixed price');
    const limit = another(gateway);
    const answer = await gateway.response({ price_limit: undefined }, { 'x-price-limit': String(limit) });
    isEqual(objectIn(objectIn(jsonWith(answer, 200), 'usage'), 'x_market'), 'bid', limit);
  }),
  marketCheck('4.4-36 4.4-59', 'a fixed-price model ignores the price limit of a response', async (gateway) => {
    const model = await otherModel(gateway, isFixed);
    const usage = objectIn(jsonWith(await gateway.response({ model, price_limit: 0 }), 200), 'usage');
    isEqual(objectIn(usage, 'x_market'), 'pricing', 'fixed');
  }),
  marketCheck('4.2-24 8-38', 'a negative price limit is 400', refuses({ price_limit: -1 })),
  marketCheck('4.2-24 8-38', 'a price limit over a billion is 400', refuses({ price_limit: 1_000_000_001 })),
  marketCheck('4.2-24', 'a price limit that is a text is 400', refuses({ price_limit: '1' })),
  marketCheck(
    '4.1-15 4.2-49',
    'a bad X-Price-Limit is 400',
    refuses({ price_limit: undefined }, { 'x-price-limit': 'cheap' }),
  ),
  marketCheck('4.1-15 4.2-49', 'a bad X-Expires-After is 400', refuses({}, { 'x-expires-after': 'soon' })),
  marketCheck('4.1-15 7-38', 'a bad X-Max-Price of a message is 400', async (gateway) =>
    refusedMessage(
      await gateway.message({ max_price: undefined }, { 'x-max-price': 'cheap' }),
      400,
      'invalid_request_error',
    ),
  ),
  marketCheck('4.2-31 2.1-12 3-3', 'an order may wait as long as max_wait says', async (gateway) =>
    waits(gateway, 3600, { max_wait: 3600, price_lock: false }),
  ),
  marketCheck('4.2-32', 'expires_after is another name of max_wait', async (gateway) =>
    waits(gateway, 3600, { expires_after: 3600, price_lock: false }),
  ),
  marketCheck('4.2-33', 'of both names max_wait wins', async (gateway) =>
    waits(gateway, 3600, { max_wait: 3600, expires_after: 60, price_lock: false }),
  ),
  marketCheck('4.1-14', 'how long an order may wait can be in X-Expires-After', async (gateway) =>
    waits(gateway, 3600, { price_lock: false }, { 'x-expires-after': '3600' }),
  ),
  marketCheck('4.2-36 8-17', 'an order may wait ten seconds at least', async (gateway) =>
    waits(gateway, 10, { max_wait: 1, price_lock: false }),
  ),
  marketCheck('4.2-34 4.2-35 8-19', 'a wait of 0 is 400', refuses({ max_wait: 0 })),
  marketCheck('4.2-35 8-19', 'a wait of half a second is 400', refuses({ max_wait: 0.5 })),
  marketCheck('4.2-34 8-18', 'a wait over thirty days is 400', refuses({ max_wait: 2_592_001 })),
  marketCheck('4.2-37 2.1-12 8-21', 'a lock has ten seconds to start, whatever max_wait says', async (gateway) =>
    waits(gateway, 10, { price_lock: true, max_wait: 3600 }),
  ),
  marketCheck('1-18 4.2-28 4.9-40', 'a lock bids the quote, or its price limit if that is lower', async (gateway) => {
    const { bid, price_lock: lock } = await orderOf(gateway, { price_lock: true });
    assert.deepEqual([lock, Number(bid) <= (gateway.priceLimit ?? Number(bid))], [true, true], `it bids ${bid}`);
  }),
  marketCheck('4.2-30', 'a fixed-price model ignores a lock', async (gateway) => {
    const model = await otherModel(gateway, isFixed);
    const usage = objectIn(jsonWith(await gateway.chat({ model, price_lock: true, max_wait: 3600 }), 200), 'usage');
    const { order_id: id } = objectIn(usage, 'x_market');
    assert.ok(waitOf(jsonWith(await gateway.get(`/v1/orders/${id}`), 200)) > 11, 'it has the window of a lock');
  }),
  marketCheck('4.2-42', 'a negative number of days to keep the result is 400', refuses({ retention_days: -1 })),
  marketCheck('4.2-38 4.2-48 1-19', 'a detached chat is 202 with its order', async (gateway) => {
    const json = jsonWith(await detached(gateway), 202);
    isEqual(json, 'object', 'order');
    isEqual(json, 'status', 'queued');
    timeIn(json, 'expires_at');
  }),
  marketCheck('2.9-10', 'a detached chat says where its result will be', async (gateway) => {
    const json = jsonWith(await detached(gateway), 202);
    isEqual(json, 'result_url', `/v1/orders/${String(json.id)}/result`);
  }),
  marketCheck('2.9-10', 'a detached chat says whether its result is stored, and for how long', async (gateway) => {
    const json = jsonWith(await detached(gateway), 202);
    isOneOf(json, 'result_stored', [true, false]);
    countIn(json, 'result_retention_days');
  }),
  marketCheck('2.9-11 4.2-40', 'a detached chat that stores nothing says so in a warning', async (gateway) => {
    const json = jsonWith(await gateway.chat({ detached: true, store: false }), 202);
    isEqual(json, 'result_stored', false);
    textIn(json, 'warning');
  }),
  marketCheck('4.2-41', 'store false wins over retention_days', async (gateway) =>
    isEqual(
      jsonWith(await gateway.chat({ detached: true, store: false, retention_days: 1 }), 202),
      'result_stored',
      false,
    ),
  ),
  marketCheck('4.2-44', 'retention_days 0 keeps no result', async (gateway) =>
    isEqual(jsonWith(await gateway.chat({ detached: true, retention_days: 0 }), 202), 'result_stored', false),
  ),
  marketCheck('4.2-43 8-33', 'a result is kept no longer than the account keeps any', async (gateway) => {
    const { storage } = jsonWith(await gateway.get('/v1/account'), 200);
    const json = jsonWith(await gateway.chat({ detached: true, retention_days: 9999 }), 202);
    assert.ok(countIn(json, 'result_retention_days') <= Number((storage as Json).retention_days), 'it is kept longer');
  }),
  marketCheck('4.2-39', 'a detached chat with a stream is 400', refuses({ detached: true, stream: true })),
  marketCheck('1-19 4.6-20 2.9-12', 'the result of a detached chat can be collected', async (gateway) => {
    const json = await collected(gateway);
    isEqual(json, 'status', 'done');
    textIn(json, 'id');
    for (const name of ['created_at', 'expires_at', 'result_expires_at']) timeIn(json, name);
  }),
  marketCheck('2.9-13', 'a collected result is a chat completion, as its endpoint answers', async (gateway) => {
    const body = objectIn(await collected(gateway), 'body');
    isEqual(body, 'object', 'chat.completion');
    objectIn(objectIn(body, 'usage'), 'x_market');
  }),
];
