/** Checks of orders: the list and its filters, one order, its result, repricing and canceling. */
import assert from 'node:assert/strict';
import {
  countIn,
  hasFields,
  isEqual,
  isOneOf,
  jsonWith,
  listIn,
  marketCheck,
  objectIn,
  refused,
  textIn,
  timeIn,
} from './check.ts';
import type { Gateway, Json } from './gateway.ts';
import { boughtChat } from './receipts.ts';

const STATUSES = ['queued', 'executing', 'done', 'error', 'canceled', 'expired'];
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** The id of an order that is done. */
const done = async (gateway: Gateway) => textIn((await boughtChat(gateway)).receipt, 'order_id');
const order = (gateway: Gateway) =>
  gateway.once('order', async () =>
    jsonWith(await gateway.get(`/v1/orders/${await done(gateway)}?include=usage,pricing`), 200),
  );
/** The list with this query, when there is an order. */
async function list(gateway: Gateway, query = ''): Promise<Json> {
  await done(gateway);
  return jsonWith(await gateway.present(gateway.get(`/v1/orders${query}`)), 200);
}
/** The list with this query is not empty, and all of its orders have this value. */
const selects = (query: string, name: string, value: unknown) => async (gateway: Gateway) => {
  const found = listIn(await list(gateway, query), 'data');
  assert.ok(found.length > 0, 'nothing is found');
  for (const each of found) isEqual(each, name, value);
};
const reprice = (gateway: Gateway, ids: readonly string[], price_limit = 1) =>
  gateway.post('/v1/orders/price', { ids, price_limit });
/** An order whose result is deleted, and the answers to deleting it twice. */
const deleted = (gateway: Gateway) =>
  gateway.once('deleted', async () => {
    const usage = objectIn(jsonWith(await gateway.chat(), 200), 'usage');
    const id = textIn(objectIn(usage, 'x_market'), 'order_id');
    const remove = () => gateway.send('DELETE', `/v1/orders/${id}/result`);
    const first = await gateway.until(remove, ({ status }) => status !== 409);
    return { id, first, second: await remove() };
  });
const pages = (gateway: Gateway) =>
  gateway.once('pages', async () => {
    await Promise.all([done(gateway), gateway.chat({})]);
    const query = '?include=totals,counts&limit=1';
    const first = await list(gateway, query);
    const cursor = encodeURIComponent(textIn(first, 'next_cursor'));
    return { first, second: await list(gateway, `${query}&cursor=${cursor}`) };
  });

export const orders = [
  marketCheck('2.2-1', 'orders are a list that says whether there is more', async (gateway) => {
    const json = await list(gateway);
    isEqual(json, 'object', 'list');
    listIn(json, 'data');
    isOneOf(json, 'has_more', [true, false]);
    hasFields(json, 'next_cursor');
  }),
  marketCheck('4.6-12', 'orders are listed newest first', async (gateway) => {
    const times = listIn(await list(gateway), 'data').map((each) => timeIn(each, 'created_at'));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  }),
  marketCheck('3-1 2.1-2', 'every order has one of the six statuses', async (gateway) => {
    for (const each of listIn(await list(gateway), 'data')) isOneOf(each, 'status', STATUSES);
  }),
  marketCheck('3-2 2.1-11', 'an order has a time of its end when it has ended, and not before', async (gateway) => {
    for (const each of listIn(await list(gateway), 'data')) {
      if (['queued', 'executing'].includes(String(each.status))) isEqual(each, 'finished_at', null);
      else timeIn(each, 'finished_at');
    }
  }),
  marketCheck('4.6-10 4.6-11', 'the cursor of a page leads to the next', async (gateway) => {
    const { first, second } = await pages(gateway);
    const [one, other] = [listIn(first, 'data'), listIn(second, 'data')];
    assert.deepEqual([one.length, other.length, first.has_more], [1, 1, true]);
    assert.notEqual(one[0]?.id, other[0]?.id, 'both pages have the same order');
  }),
  marketCheck('4.6-13 2.1-27', 'the totals of orders stand on the first page when asked for', async (gateway) => {
    const { first } = await pages(gateway);
    for (const name of ['total_orders', 'total_failed', 'total_charged_usd']) countIn(first, name);
  }),
  marketCheck('4.6-13', 'the totals of orders are null on the next page', async (gateway) => {
    const { second } = await pages(gateway);
    for (const name of ['total_orders', 'total_failed', 'total_charged_usd']) isEqual(second, name, null);
  }),
  marketCheck('4.6-14 2.2-1', 'the counts of orders stand on every page when asked for', async (gateway) => {
    const { first, second } = await pages(gateway);
    for (const page of [first, second]) hasFields(objectIn(page, 'counts'), 'queued', 'executing', 'oldest_queued_at');
  }),
  marketCheck('4.6-2', 'orders are selected by status', selects('?status=done', 'status', 'done')),
  marketCheck('4.6-3 7-36', 'a status that is unknown is 400', async (gateway) =>
    refused(await gateway.present(gateway.get('/v1/orders?status=asleep')), 400),
  ),
  marketCheck('4.6-5', 'orders are selected by kind', selects('?kind=chat', 'kind', 'chat')),
  marketCheck('4.6-4', 'orders are selected by model', async (gateway) =>
    selects(`?model=${encodeURIComponent(gateway.model)}`, 'model', gateway.model)(gateway),
  ),
  marketCheck('4.6-6', 'orders outside of batches are selected by batch=none', async (gateway) => {
    const id = await done(gateway);
    const found = listIn(await list(gateway, `?batch=none&id=${id}`), 'data');
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
    );
  }),
  marketCheck('4.6-7', 'orders are found by their id', async (gateway) => {
    const id = await done(gateway);
    const found = listIn(await list(gateway, `?id=${id}`), 'data');
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
    );
  }),
  marketCheck('4.6-8', 'the bounds of a time are part of it', async (gateway) => {
    const { id, created_at: at } = await order(gateway);
    const found = listIn(await list(gateway, `?from=${at}&to=${at}&id=${id}`), 'data');
    assert.deepEqual(
      found.map((each) => each.id),
      [id],
    );
  }),
  marketCheck('4.6-15', 'the totals at bid and saved of an empty set are 0', async (gateway) => {
    const json = await list(gateway, '?to=2001-01-01&include=totals');
    for (const name of ['total_at_bid_usd', 'total_saved_usd']) isEqual(json, name, 0);
  }),
  marketCheck('4.6-17 2.1-1 2.1-2 2.1-6', 'an order has its id, its status and its model', async (gateway) => {
    isEqual(await order(gateway), 'id', await done(gateway));
    isEqual(await order(gateway), 'status', 'done');
    textIn(await order(gateway), 'model');
  }),
  marketCheck('2.1-5', 'an order says which endpoint it came in on', async (gateway) =>
    isEqual(await order(gateway), 'kind', 'chat'),
  ),
  marketCheck(
    '2.1-7 2.1-8 2.1-11 3-5 3-15',
    'an order was submitted, admitted and finished in this order',
    async (gateway) => {
      const [created, admitted, finished] = ['created_at', 'admitted_at', 'finished_at'];
      const times = [];
      for (const name of [created, admitted, finished]) times.push(timeIn(await order(gateway), name ?? ''));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    },
  ),
  marketCheck('2.1-17', 'an order that does not wait has no place in the queue', async (gateway) =>
    isEqual(await order(gateway), 'queue_position', null),
  ),
  marketCheck('2.1-20', 'an order that is done has no error', async (gateway) =>
    isEqual(await order(gateway), 'error', null),
  ),
  marketCheck('2.1-3 2.1-13', 'an order has the bid and the level of its receipt', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    for (const name of ['bid', 'level_at_execution']) isEqual(await order(gateway), name, receipt[name]);
  }),
  marketCheck('2.1-22', 'the usage of an order has its tokens and its charge', async (gateway) => {
    const usage = objectIn(await order(gateway), 'usage');
    for (const name of ['prompt_tokens', 'cached_tokens', 'output_tokens', 'charged_usd']) countIn(usage, name);
  }),
  marketCheck('2.1-24', 'the pricing of an order says whether it is a lock, and of a market', async (gateway) => {
    isOneOf(await order(gateway), 'price_lock', [true, false]);
    isOneOf(await order(gateway), 'pricing', ['market', 'fixed']);
  }),
  marketCheck('4.6-19 7-33', 'an order id that is none is 404', async (gateway) =>
    refused(await gateway.get('/v1/orders/nonsense'), 404),
  ),
  marketCheck('4.6-19 7-33', 'the order of nobody is 404', async (gateway) =>
    refused(await gateway.get(`/v1/orders/${NOBODY}`), 404),
  ),
  marketCheck('4.6-22', 'deleting a result answers with the order', async (gateway) => {
    const { id, first } = await deleted(gateway);
    assert.deepEqual(jsonWith(first, 200), { id, object: 'order.result', deleted: true });
  }),
  marketCheck('4.6-23', 'deleting a result again answers the same', async (gateway) => {
    const { first, second } = await deleted(gateway);
    assert.deepEqual(jsonWith(second, 200), first.json);
  }),
  marketCheck('4.6-26 8-42', 'repricing no orders is 400', async (gateway) => refused(await reprice(gateway, []), 400)),
  marketCheck('4.6-26 8-42', 'repricing 501 orders is 400', async (gateway) =>
    refused(
      await reprice(
        gateway,
        Array.from({ length: 501 }, () => gateway.ids.uuid()),
      ),
      400,
    ),
  ),
  marketCheck('4.6-26 8-38', 'repricing below 0 is 400', async (gateway) =>
    refused(await reprice(gateway, [await done(gateway)], -1), 400),
  ),
  marketCheck('4.6-27', 'repricing answers with the price limit and a count of changes', async (gateway) => {
    const json = jsonWith(await reprice(gateway, [await done(gateway)], 2), 200);
    isEqual(json, 'object', 'list');
    isEqual(json, 'price_limit', 2);
    isEqual(json, 'changed', 0);
  }),
  marketCheck('4.6-28', 'repricing an order that does not wait changes nothing: not_queued', async (gateway) => {
    const [item = {}] = listIn(jsonWith(await reprice(gateway, [await done(gateway)]), 200), 'data');
    isEqual(item, 'changed', false);
    isEqual(item, 'code', 'not_queued');
    textIn(item, 'reason');
  }),
  marketCheck('4.6-26', 'repricing an order twice is repricing it once', async (gateway) => {
    const id = await done(gateway);
    assert.equal(listIn(jsonWith(await reprice(gateway, [id, id]), 200), 'data').length, 1);
  }),
  marketCheck('3-9 4.6-32 7-15', 'canceling an order that does not wait is 409 order_not_cancelable', async (gateway) =>
    refused(await gateway.send('POST', `/v1/orders/${await done(gateway)}/cancel`), 409, 'order_not_cancelable'),
  ),
  marketCheck('4.6-19', 'canceling the order of nobody is 404', async (gateway) =>
    refused(await gateway.send('POST', `/v1/orders/${NOBODY}/cancel`), 404),
  ),
];
