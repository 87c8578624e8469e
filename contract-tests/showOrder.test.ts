import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';
import { COMMAND_LINE } from './support/test-operator.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('/console/api/orders', () => {
  const server = useServer({ trust_proxy: 1 });

  // Spec 2.1-23
  it('200 a settled order with its life, its receipt as the caller got it, and its refunds', async () => {
    const browser = await operatorBrowser(server, 'finance');
    const { id: account, key } = await server.createAccount();
    const reply = await server.api.as(key).call('createChatCompletion', { body: chat() });
    const { usage } = reply.body(200);
    const id = reply.orderId ?? '';
    const show = async () => (await browser.call('showOrder', { params: { id } })).body(200);
    const order = await show();
    assert.deepEqual([order.id, order.account_id, order.model, order.status], [id, account, 'tide', 'done']);
    assert.deepEqual([order.attempts, order.failures, order.error, order.hold_usd], [1, 0, null, 0]);
    assert.deepEqual(order.receipt, usage?.x_market);
    assert.deepEqual(
      order.timeline.map(({ what }) => what),
      ['submitted', 'admitted', 'first token', 'settled', 'done'],
    );
    assert.equal(order.settlement?.output_tokens, usage?.completion_tokens);
    assert.equal(order.settlement?.refunded_usd, 0);
    const body = { amount_usd: '0.000000001', idempotency_key: 'k', order_id: id.toUpperCase() };
    (await browser.call('refundAccount', { params: { id: account }, body })).body(200);
    const refunded = await show();
    assert.deepEqual(refunded.receipt, order.receipt);
    assert.equal(refunded.settlement?.refunded_usd, 1e-9);
    assert.equal(refunded.settlement?.charged_usd, order.settlement?.charged_usd);
    const asked = { params: { id }, query: { include: 'usage' } };
    const { usage: listed } = (await server.api.as(key).call('getOrder', asked)).body(200);
    assert.equal(listed?.charged_usd, Number(((order.settlement?.charged_usd ?? 0) - 1e-9).toFixed(9)));
    const upper = (await browser.call('showOrder', { params: { id: id.toUpperCase() } })).body(200);
    assert.equal(upper.id, id);
  });

  it('200 an order that runs, with its hold and pod; nothing of its content', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const { id: account, key } = await server.createAccount();
    const api = server.api.as(key);
    const release = server.holdAnswers();
    const secret = 'the words of the caller';
    const messages = [{ role: 'user', content: secret }];
    const running = api.call('createChatCompletion', { body: chat({ messages }) });
    await server.orders({ executing: 1 }, api);
    const { data } = (await browser.call('listAccountOrders', { query: { account } })).body(200);
    const reply = await browser.call('showOrder', { params: { id: data[0]?.id ?? '' } });
    const order = reply.body(200);
    assert.deepEqual([order.status, order.receipt, order.settlement], ['executing', null, null]);
    assert.ok(order.hold_usd > 0 && order.pod !== null);
    assert.deepEqual(
      order.timeline.map(({ what }) => what),
      ['submitted', 'admitted'],
    );
    assert.ok(!reply.text.includes(secret));
    release();
    (await running).body(200);
  });

  it('200 what an order sent, where the account has it kept, and who read it is on record; 404 where it is not', async () => {
    const [browser, viewer] = [await operatorBrowser(server), await operatorBrowser(server, 'viewer')];
    const secret = 'the words of the caller';
    const body = chat({ messages: [{ role: 'user', content: secret }], metadata: { name: '<b>' } });
    for (const logPayloads of [true, false]) {
      const made = await browser.call('createAccount', { body: { name: 'Logged', log_payloads: logPayloads } });
      const id = made.body(201).account_id;
      const transfer = { amount_usd: '25', idempotency_key: 'k' };
      (await browser.call('creditAccount', { params: { id }, body: transfer })).body(200);
      const { secret: key } = await server.operator.keys.create(id, { name: 'k' }, COMMAND_LINE);
      const { orderId = '' } = await server.api.as(key).call('createChatCompletion', { body });
      const request = await browser.call('showOrderRequest', { params: { id: orderId?.toUpperCase() ?? '' } });
      const { data } = (await viewer.call('listChanges', { query: { account: id, limit: 1 } })).body(200);
      if (logPayloads) {
        const { order_id, account_id, body: sent } = request.body(200);
        assert.deepEqual([order_id, account_id], [orderId, id]);
        assert.ok(JSON.stringify(sent).includes(secret) && JSON.stringify(sent).includes('<b>'));
        assert.deepEqual([data[0]?.what, data[0]?.subject], ['order.read', orderId]);
      } else {
        request.refusal(404, 'not_found');
        assert.notEqual(data[0]?.what, 'order.read');
      }
    }
    for (const id of [NOBODY, 'x', "' OR '1'='1"])
      (await browser.call('showOrderRequest', { params: { id } })).refusal(404, 'not_found');
  });

  it('404 for ids of nothing', async () => {
    const browser = await operatorBrowser(server);
    const refused = (await browser.call('showOrder', { params: { id: NOBODY } })).refusal(404, 'not_found');
    for (const id of ['x', "' OR '1'='1", '..%2f', '%00', 'x'.repeat(2_000)])
      assert.deepEqual((await browser.call('showOrder', { params: { id } })).refusal(404, 'not_found'), refused);
    for (const account of [NOBODY, 'x', "' OR '1'='1"])
      (await browser.call('listAccountOrders', { query: { account } })).refusal(404, 'not_found');
  });

  it('200 the orders of one account alone, by page; 400 without an account, and for a filter that is none', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const { id: account, key } = await server.createAccount();
    const api = server.api.as(key);
    for (let count = 0; count < 3; count++) (await api.call('createChatCompletion', { body: chat() })).body(200);
    const query = { account, limit: 2, include: 'totals' };
    const first = (await browser.call('listAccountOrders', { query })).body(200);
    assert.deepEqual([first.data.length, first.total_orders, first.has_more], [2, 3, true]);
    const rest = { ...query, cursor: first.next_cursor ?? '' };
    assert.equal((await browser.call('listAccountOrders', { query: rest })).body(200).data.length, 1);
    const { id: other } = await server.createAccount();
    const foreign = await browser.call('listAccountOrders', { query: { ...rest, account: other } });
    foreign.refusal(400, 'invalid_cursor');
    const missing = (await browser.call('listAccountOrders', { query: {} })).refusal(400, 'invalid_request');
    assert.equal(missing.param, 'account');
    const wrong = await browser.call('listAccountOrders', { query: { account, status: 'lost' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'status');
  });

  it('200 the orders of all accounts, the newest first, by page and by the start of an id; 400 for a filter that is none', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const sold: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { key } = await server.createAccount();
      sold.unshift((await server.api.as(key).call('createChatCompletion', { body: chat() })).orderId ?? '');
    }
    const first = (await browser.call('listSoldOrders', { query: { limit: 2 } })).body(200);
    const cursor = first.next_cursor ?? '';
    const rest = (await browser.call('listSoldOrders', { query: { limit: 1, cursor } })).body(200);
    const listed = [...first.data, ...rest.data].map(({ id }) => id);
    assert.deepEqual(listed, sold);
    const [id = ''] = sold;
    const { data } = (await browser.call('listSoldOrders', { query: { id } })).body(200);
    assert.deepEqual(
      data.map((order) => order.id),
      [id],
    );
    const foreign = await browser.call('listSoldOrders', { query: { limit: 1, status: 'done', cursor } });
    foreign.refusal(400, 'invalid_cursor');
    const wrong = await browser.call('listSoldOrders', { query: { status: 'lost' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'status');
  });

  it('200 the orders that have any id: of an order, a request, a batch, a key or an account', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const { key, id: account } = await server.createAccount();
    const api = server.api.as(key);
    const named = { headers: { 'x-request-id': 'invoice-run:17' } };
    const first = (await api.call('createChatCompletion', { body: chat(), ...named })).orderId ?? '';
    const other = await api.call('createChatCompletion', { body: chat() });
    const second = other.orderId ?? '';
    const batch = await batchOf(api, [line('a'), line('b')]);
    const lines = (await ended(server, batch.id, api)).request_counts?.total;
    const found = async (any_id: string, more: object = {}) =>
      (await browser.call('listSoldOrders', { query: { any_id, ...more } })).body(200).data.map(({ id }) => id);
    assert.deepEqual(await found(first), [first]);
    assert.deepEqual(await found('invoice-run:17'), [first]);
    assert.deepEqual(await found(String(other.headers['x-request-id'])), [second]);
    assert.equal((await found(batch.id)).length, lines);
    const all = await found(account);
    assert.deepEqual([all.length, all.slice(-2)], [4, [second, first]]);
    const shown = (await browser.call('showOrder', { params: { id: first } })).body(200);
    assert.equal(shown.request_id, 'invoice-run:17');
    assert.deepEqual(await found(shown.key_id ?? ''), all);
    assert.deepEqual(await found(account, { status: 'canceled' }), []);
    for (const none of ['nothing', first.slice(0, 12), `${account}'--`]) assert.deepEqual(await found(none), []);
    const query = { any_id: account, limit: 3 };
    const page = (await browser.call('listSoldOrders', { query })).body(200);
    const cursor = page.next_cursor ?? '';
    const rest = (await browser.call('listSoldOrders', { query: { ...query, cursor } })).body(200);
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ id }) => id),
      all,
    );
    const long = await browser.call('listSoldOrders', { query: { any_id: 'x'.repeat(129) } });
    assert.equal(long.refusal(400, 'invalid_request').param, 'any_id');
  });
});
