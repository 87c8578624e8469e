/**
 * Checks of the account and its usage. No setting is changed: every change sent is refused, or repeats the present
 * value.
 */
import assert from 'node:assert/strict';
import {
  countIn,
  firstOf,
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
import { isFixed, otherModel } from './discovery.ts';
import type { Gateway, Json } from './gateway.ts';
import { boughtChat } from './receipts.ts';

const account = (gateway: Gateway) =>
  gateway.once('account', async () => jsonWith(await gateway.present(gateway.get('/v1/account')), 200));
const changed = (gateway: Gateway, fields: Json) =>
  gateway.present(gateway.send('PATCH', '/v1/account', { 'content-type': 'application/json' }, JSON.stringify(fields)));
const used = async (gateway: Gateway, query = '') =>
  jsonWith(await gateway.present(gateway.get(`/v1/usage${query}`)), 200);

export const accounts = [
  marketCheck('4.7-1 2.3-1 2.3-2', 'the account has its type and its id', async (gateway) => {
    isEqual(await account(gateway), 'object', 'account');
    textIn(await account(gateway), 'account_id');
  }),
  marketCheck('2.3-3 1-21', 'the account has its balance', async (gateway) =>
    assert.equal(typeof (await account(gateway)).balance_usd, 'number'),
  ),
  marketCheck('2.3-4 2.3-5', 'the default price limits of the account are of markets only', async (gateway) => {
    const levels = listIn(jsonWith(await gateway.market(), 200), 'levels').map(({ model }) => model);
    const others = Object.keys(objectIn(await account(gateway), 'default_price_limit')).filter(
      (model) => !levels.includes(model),
    );
    assert.deepEqual(others, []);
  }),
  marketCheck('2.3-6', 'the account says whether its requests lock the price', async (gateway) =>
    isOneOf(await account(gateway), 'price_lock', [true, false]),
  ),
  marketCheck('2.3-7 4.7-8', 'the account has an order timeout from 10 seconds to 30 days', async (gateway) => {
    const seconds = countIn(await account(gateway), 'order_timeout_seconds');
    assert.ok(seconds >= 10 && seconds <= 2_592_000, `it is ${seconds}`);
  }),
  marketCheck(
    '2.3-8',
    'the account says how long results are kept, and whether requests are logged',
    async (gateway) => {
      const storage = objectIn(await account(gateway), 'storage');
      countIn(storage, 'retention_days');
      isOneOf(storage, 'log_payloads', [true, false]);
    },
  ),
  marketCheck('2.3-10', 'the account counts its orders that wait and run', async (gateway) => {
    const orders = objectIn(await account(gateway), 'orders');
    for (const name of ['queued', 'executing']) countIn(orders, name);
  }),
  marketCheck('4.7-11 7-36', 'a setting of the account that is unknown is 400', async (gateway) =>
    refused(await changed(gateway, { no_such_setting: true }), 400),
  ),
  marketCheck('4.7-11 4.7-12 2.3-9', 'the storage of the account cannot be set here', async (gateway) =>
    refused(await changed(gateway, { storage: { retention_days: 1 } }), 400),
  ),
  marketCheck('4.7-4', 'a default price limit of a model that is not served is 400', async (gateway) =>
    refused(await changed(gateway, { default_price_limit: { 'no-such-model': 1 } }), 400),
  ),
  marketCheck('4.7-5 7-8', 'a default price limit of a fixed-price model is 400 fixed_price_model', async (gateway) => {
    const fields = { default_price_limit: { [await otherModel(gateway, isFixed)]: 1 } };
    refused(await changed(gateway, fields), 400, 'fixed_price_model');
  }),
  marketCheck('4.7-9 8-20', 'an order timeout under ten seconds is 400', async (gateway) =>
    refused(await changed(gateway, { order_timeout_seconds: 9 }), 400),
  ),
  marketCheck('4.7-9 8-20', 'an order timeout over thirty days is 400', async (gateway) =>
    refused(await changed(gateway, { order_timeout_seconds: 2_592_001 }), 400),
  ),
  marketCheck('4.7-2 4.7-10', 'a change of the account answers with the account as it is stored', async (gateway) => {
    const { order_timeout_seconds, account_id: id } = await account(gateway);
    const json = jsonWith(await changed(gateway, { order_timeout_seconds }), 200);
    isEqual(json, 'account_id', id);
    isEqual(json, 'order_timeout_seconds', order_timeout_seconds);
  }),
  marketCheck('2.4-4 4.7-13', 'usage is a list with its balance and its totals', async (gateway) => {
    await boughtChat(gateway);
    const json = await used(gateway);
    isEqual(json, 'object', 'list');
    hasFields(json, 'balance_usd', 'has_more', 'next_cursor');
    for (const name of ['total_charged_usd', 'total_requests']) countIn(json, name);
  }),
  marketCheck('2.4-1', 'a usage record has its order, its tokens, its level and its charge', async (gateway) => {
    await boughtChat(gateway);
    const row = firstOf(await used(gateway), 'data');
    for (const name of ['id', 'order_id', 'model']) textIn(row, name);
    for (const name of ['prompt_tokens', 'cached_tokens', 'output_tokens', 'charged_usd']) countIn(row, name);
    hasFields(row, 'level_at_execution');
    timeIn(row, 'created_at');
    isOneOf(row, 'pricing', ['market', 'fixed']);
  }),
  marketCheck('2.4-2 1-23', 'the usage record of an order has the charge of its receipt', async (gateway) => {
    const { receipt } = await boughtChat(gateway);
    const rows = listIn(await used(gateway, '?limit=200'), 'data').filter((row) => row.order_id === receipt.order_id);
    assert.deepEqual(
      rows.map((row) => row.charged_usd),
      [receipt.charged_usd],
    );
  }),
  marketCheck('4.7-14', 'usage is listed newest first', async (gateway) => {
    await boughtChat(gateway);
    const times = listIn(await used(gateway), 'data').map((row) => timeIn(row, 'created_at'));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  }),
  marketCheck('2.4-5', 'the totals of usage stand on the first page only', async (gateway) => {
    await Promise.all([boughtChat(gateway), gateway.chat({})]);
    const { next_cursor: cursor, has_more: more } = await used(gateway, '?limit=1');
    assert.deepEqual([more, typeof cursor], [true, 'string'], 'there is no second page');
    const second = await used(gateway, `?limit=1&cursor=${encodeURIComponent(String(cursor))}`);
    for (const name of ['balance_usd', 'total_charged_usd', 'total_requests']) isEqual(second, name, null);
  }),
  marketCheck('4.7-13', 'usage has as many rows as are asked for', async (gateway) => {
    await boughtChat(gateway);
    isEqual(listIn(await used(gateway, '?limit=1'), 'data') as unknown as Json, 'length', 1);
  }),
  marketCheck('4.7-13', 'usage before all of it is empty', async (gateway) =>
    isEqual(await used(gateway, '?to=2001-01-01'), 'data', []),
  ),
];
