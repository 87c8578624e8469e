/** Orders, batches and usage in the settings: what a key sees and does of its account, a member sees and does of the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, batchWhen, ended, line } from './support/batches.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const NO_BATCH = `batch_${'0'.repeat(24)}`;

describe('orders, batches and usage under /settings/api', () => {
  const server = useServer({ trust_proxy: 1 });
  let made = 0;
  const newcomer = async (role: 'developer' | 'viewer' = 'developer') => {
    const account = await server.createAccount();
    const place = { accountId: account.id, role } as const;
    const token = await server.operator.invite(`active-${made++}@example.com`, place);
    return { ...account, api: server.api.as(account.key), browser: await BrowserSession.open(server.api, token) };
  };
  type Newcomer = Awaited<ReturnType<typeof newcomer>>;
  /** A detached order in the market without pods, where it waits. */
  const waiting = async ({ api }: Newcomer, price_limit = 3) =>
    (await api.call('createChatCompletion', { body: chat({ model: 'reef', detached: true, price_limit }) })).orderId;
  const show = ({ browser }: Newcomer, id: string) => browser.call('showMemberOrder', { params: { id } });
  const cancel = ({ browser }: Newcomer, id: string) => browser.call('cancelMemberOrder', { params: { id } });
  const reprice = ({ browser }: Newcomer, ids: string[], price_limit: unknown) =>
    browser.call('repriceMemberOrders', { body: { ids, price_limit } });
  const logged = async (subject: string) =>
    (await server.operator.database.knex('audit_log').where({ subject }).orderBy('id')).map(
      ({ what, before_json, after_json }) => [what, JSON.parse(before_json), JSON.parse(after_json)],
    );

  it('200 an order with its timeline, its settlement and the tariff that gives its charge', async () => {
    const mine = await newcomer();
    const { orderId } = await mine.api.call('createChatCompletion', { body: chat() });
    const details = (await show(mine, orderId)).body(200);
    const query = { include: 'usage,pricing,storage,batch' };
    assert.deepEqual(details.order, (await mine.api.call('getOrder', { params: { id: orderId }, query })).body(200));
    assert.deepEqual(
      details.timeline.map(({ what }) => what),
      ['submitted', 'admitted', 'first token', 'settled', 'done'],
    );
    assert.equal(details.run.key_id, mine.keyId);
    assert.equal(details.run.charged_usd, details.settlement?.charged_usd);
    assert.equal(details.run.at_bid_usd, details.settlement?.at_bid_usd);
    assert.equal(details.run.first_token_at, details.timeline[2]?.at);
    assert.equal(details.settlement?.charged_usd, details.order.usage?.charged_usd);
    const { pricing, cached, uncached, output } = details.tariff;
    const { pricing_ratio: ratio } = (await mine.api.call('getModel', { params: { model: 'tide' } })).body(200);
    assert.deepEqual({ pricing, ratio: { cached, uncached, output } }, { pricing: 'market', ratio });
  });

  it('200 the signed receipt that a key gets; 409 before there is one, 404 for that of another account', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const signed = ({ browser }: Newcomer, id: string) => browser.call('showMemberReceipt', { params: { id } });
    const { orderId } = await mine.api.call('createChatCompletion', { body: chat() });
    const receipt = (await mine.api.call('getOrderReceipt', { params: { id: orderId } })).body(200);
    assert.deepEqual((await signed(mine, orderId)).body(200), receipt);
    for (const id of [orderId, NOBODY, 'x']) (await signed(theirs, id)).refusal(404, 'not_found');
    const id = await waiting(mine);
    (await signed(mine, id)).refusal(409, 'order_not_settled');
    (await cancel(mine, id)).body(200);
  });

  it('200 how each order of the list ran, by the name of its key; the list of one key or charge has only those', async () => {
    const mine = await newcomer();
    const { orderId } = await mine.api.call('createChatCompletion', { body: chat() });
    const id = await waiting(mine);
    await server.orders({ queued: 1 }, mine.api);
    const list = async (query: object = {}) =>
      (await mine.browser.call('listMemberOrders', { query: { ...query } })).body(200);
    const { list: all, runs } = await list();
    assert.deepEqual(
      all.data.map((order) => order.id),
      [id, orderId],
    );
    const { run } = (await show(mine, orderId)).body(200);
    const waits = { first_token_at: null, charged_usd: null, at_bid_usd: null };
    assert.deepEqual(runs, [{ ...run, ...waits }, run]);
    assert.equal(typeof run.key_name, 'string');
    assert.ok((run.at_bid_usd ?? 0) > (run.charged_usd ?? 0) && run.first_token_at !== null);
    const ids = async (query: object) => (await list(query)).list.data.map((order) => order.id);
    assert.deepEqual(await ids({ key: mine.keyId }), [id, orderId]);
    assert.deepEqual(await ids({ key: NOBODY }), []);
    assert.deepEqual(await ids({ charged_min: String(run.charged_usd) }), [orderId]);
    assert.deepEqual(await ids({ charged_min: '0', limit: 1 }), [orderId]);
    assert.deepEqual(await ids({ charged_min: String((run.charged_usd ?? 0) + 0.000001) }), []);
    const wrong = await mine.browser.call('listMemberOrders', { query: { charged_min: 'much' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'charged_min');
    (await cancel(mine, id)).body(200);
  });

  it('200 sums by hour or day, model, key and status, of the same filters as the list; 400 for a time that is none', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const { orderId } = await mine.api.call('createChatCompletion', { body: chat() });
    await mine.api.call('createChatCompletion', { body: chat() });
    const id = await waiting(mine);
    await server.orders({ queued: 1 }, mine.api);
    const sums = async (query: object = {}, who = mine) =>
      (await who.browser.call('sumMemberOrders', { query: { ...query } })).body(200);
    const { run } = (await show(mine, orderId)).body(200);
    const { data, step_s, truncated } = await sums();
    assert.deepEqual([step_s, truncated], [3600, false]);
    const done = data.find(({ status }) => status === 'done');
    assert.deepEqual([done?.model, done?.key_name, done?.orders], ['tide', run.key_name, 2]);
    assert.ok((done?.charged_usd ?? 0) > (run.charged_usd ?? 0) && (done?.at_bid_usd ?? 0) > (done?.charged_usd ?? 0));
    assert.equal(data.find(({ status }) => status === 'queued')?.orders, 1);
    assert.equal(Date.parse(done?.at ?? '') % 3_600_000, 0);
    const day = await sums({ step: 'day', model: 'tide', key: mine.keyId, status: 'done', charged_min: '0.000001' });
    assert.deepEqual(
      day.data.map(({ at, orders }) => [Date.parse(at) % 86_400_000, orders]),
      [[0, 2]],
    );
    for (const query of [{ key: NOBODY }, { to: '2020-01-01' }, { charged_min: '999' }])
      assert.deepEqual((await sums(query)).data, []);
    assert.deepEqual((await sums({}, theirs)).data, []);
    const wrong = await mine.browser.call('sumMemberOrders', { query: { from: 'yesterday' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'from');
    (await cancel(mine, id)).body(200);
  });

  it('200 what an order sent, where the account has it kept; 404 where it is not, and for others; 403 for a viewer', async () => {
    const [mine, theirs, viewer] = [await newcomer(), await newcomer(), await newcomer('viewer')];
    const sent = ({ browser }: Newcomer, id: string) => browser.call('showMemberRequest', { params: { id } });
    const { orderId } = await mine.api.call('createChatCompletion', { body: chat() });
    (await sent(mine, orderId)).refusal(404, 'not_found');
    await server.operator.database.knex('accounts').where({ id: mine.id }).update({ log_payloads: 1 });
    await server.pass(60_000);
    const { orderId: kept } = await mine.api.call('createChatCompletion', { body: chat() });
    const { order_id, body } = (await sent(mine, kept)).body(200);
    assert.deepEqual([order_id, body.messages], [kept, chat().messages]);
    for (const id of [kept, NOBODY, 'x']) (await sent(theirs, id)).refusal(404, 'not_found');
    (await sent(viewer, kept)).refusal(403, 'role_refused');
  });

  it('200 a waiting order with its place; repriced and canceled by a member, each with its row in the audit log', async () => {
    const mine = await newcomer();
    const id = await waiting(mine);
    await server.orders({ queued: 1 }, mine.api);
    const before = (await show(mine, id)).body(200);
    assert.equal(before.order.queue_position, 1);
    assert.equal(before.settlement, null);
    const { changed, data } = (await reprice(mine, [id.toUpperCase(), id], 2)).body(200);
    assert.deepEqual([changed, data], [1, [{ id, changed: true, code: null, reason: null }]]);
    assert.equal((await show(mine, id)).body(200).order.bid, 2);
    assert.deepEqual((await cancel(mine, id)).body(200), { id, status: 'canceled' });
    assert.deepEqual(
      (await show(mine, id)).body(200).timeline.map(({ what }) => what),
      ['submitted', 'canceled'],
    );
    assert.deepEqual(await logged(id), [
      ['order.reprice', { bid: 3 }, { price_limit: 2 }],
      ['order.cancel', { status: 'queued', model: 'reef' }, { status: 'canceled' }],
    ]);
    (await cancel(mine, id)).refusal(409, 'order_not_cancelable');
    assert.equal((await reprice(mine, [id], 1)).body(200).data[0]?.code, 'not_queued');
    assert.equal((await logged(id)).length, 2, 'what changed nothing is not in the log');
  });

  it('404 for orders of another account, as for those that never were; they go on waiting, at their price', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const id = await waiting(theirs);
    await server.orders({ queued: 1 }, theirs.api);
    for (const order of [id, NOBODY, 'x', "' OR '1'='1"]) {
      (await show(mine, order)).refusal(404, 'not_found');
      (await cancel(mine, order)).refusal(404, 'not_found');
      assert.equal((await reprice(mine, [order], 9)).body(200).changed, 0);
    }
    const { order } = (await show(theirs, id)).body(200);
    assert.deepEqual([order.status, order.bid], ['queued', 3]);
    assert.deepEqual(await logged(id), []);
    (await cancel(theirs, id)).body(200);
  });

  it('400 for a price that is none, and for more orders than a page has; 413 for an oversized form', async () => {
    const mine = await newcomer();
    for (const price of [-1, '1', null, 1e10])
      (await reprice(mine, [NOBODY], price)).refusal(400, 'invalid_price_limit');
    (await reprice(mine, [], 1)).refusal(400, 'invalid_request');
    (await reprice(mine, Array(21).fill(NOBODY), 1)).refusal(400, 'invalid_request');
    (await reprice(mine, Array(2000).fill(NOBODY), 1)).refusal(413, 'request_too_large');
  });

  it('403 a viewer sees orders and batches, and changes none', async () => {
    const mine = await newcomer('viewer');
    const id = await waiting(mine);
    await server.orders({ queued: 1 }, mine.api);
    (await show(mine, id)).body(200);
    (await cancel(mine, id)).refusal(403, 'role_refused');
    (await reprice(mine, [id], 1)).refusal(403, 'role_refused');
    (await mine.browser.call('cancelMemberBatch', { params: { id: NO_BATCH } })).refusal(403, 'role_refused');
    (await mine.api.call('cancelOrder', { params: { id } })).body(200);
  });

  it('403 a suspended account sees its orders, and reprices none', async () => {
    const mine = await newcomer();
    const id = await waiting(mine);
    await server.orders({ queued: 1 }, mine.api);
    await server.whileSuspended(mine, async () => {
      (await reprice(mine, [id], 1)).refusal(403, 'account_suspended');
      (await show(mine, id)).body(200);
    });
  });

  it('200 the batches of the own account; one is canceled by a member, with its row in the audit log', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const { id } = await batchOf(mine.api, [line('waits', { model: 'reef' })]);
    await batchWhen(server, id, ({ status }) => status === 'in_progress', mine.api);
    const listed = (await mine.browser.call('listMemberBatches')).body(200);
    assert.deepEqual(listed, (await mine.api.call('listBatches')).body(200));
    assert.deepEqual((await theirs.browser.call('listMemberBatches')).body(200).data, []);
    const end = (who: Newcomer, batch = id) => who.browser.call('cancelMemberBatch', { params: { id: batch } });
    for (const batch of [id, NO_BATCH, 'x']) (await end(theirs, batch)).refusal(404, 'not_found');
    assert.equal((await end(mine)).body(200).status, 'cancelling');
    assert.deepEqual(await logged(id), [['batch.cancel', { status: 'in_progress' }, { status: 'cancelling' }]]);
    await ended(server, id, mine.api);
    (await end(mine)).refusal(409, 'batch_not_cancelable');
    (await mine.browser.call('listMemberBatches', { query: { limit: 0 } })).refusal(400, 'invalid_request');
  });

  it('200 a file of the account as a key gets it; 404 for that of another account', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()];
    const { id } = await upload(mine.api, line('a'));
    const content = ({ browser }: Newcomer, file = id) => browser.call('getMemberFile', { params: { id: file } });
    const [shown, read] = [await content(mine), await mine.api.call('getFileContent', { params: { id } })];
    assert.deepEqual([shown.status, shown.text, read.text], [200, line('a'), line('a')]);
    assert.equal(shown.headers['content-disposition'], read.headers['content-disposition']);
    for (const file of [id, `file-${'0'.repeat(32)}`, 'x']) (await content(theirs, file)).refusal(404, 'not_found');
  });

  it('200 usage by day, model and key, whose sum is what the account was charged', async () => {
    const mine = await newcomer();
    const { usage } = (await mine.api.call('createChatCompletion', { body: chat() })).body(200);
    (await mine.api.call('createChatCompletion', { body: chat({ model: 'harbor', price_limit: undefined }) })).body(
      200,
    );
    const { data, from, to, truncated } = (await mine.browser.call('listMemberUsage')).body(200);
    assert.equal(truncated, false);
    assert.equal((Date.parse(to) - Date.parse(from)) / 86_400_000, 29);
    assert.deepEqual(
      data.map(({ day, model, key_id, requests }) => ({ day, model, key_id, requests })),
      ['harbor', 'tide'].map((model) => ({ day: to, model, key_id: mine.keyId, requests: 1 })),
    );
    assert.equal(data.find(({ model }) => model === 'tide')?.charged_usd, usage.x_market.charged_usd);
    const { balance_usd } = (await mine.api.call('getAccount')).body(200);
    const charged = data.reduce((sum, row) => sum + Math.round(row.charged_usd * 1e9), 0);
    assert.equal(Math.round((100 - balance_usd) * 1e9), charged);
    const earlier = (await mine.browser.call('listMemberUsage', { query: { to: '2020-01-01' } })).body(200);
    assert.deepEqual([earlier.data, earlier.to], [[], '2020-01-01']);
    const wrong = await mine.browser.call('listMemberUsage', { query: { from: 'yesterday' } });
    assert.equal(wrong.refusal(400, 'invalid_request').param, 'from');
  });
});
