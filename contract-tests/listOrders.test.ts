import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

type Query = Readonly<Record<string, string | number>>;

describe('GET /v1/orders', () => {
  const server = useServer();
  itNeedsAKey(server, 'listOrders');
  itSurvivesAnOutage(server, 'listOrders');
  itHasARate('account_operations_per_minute_per_account', 'listOrders');

  const list = async (query: Query = {}) => (await server.api.call('listOrders', { query })).body(200);
  const ids = async (query: Query = {}) => (await list(query)).data.map(({ id }) => id);
  const place = async (fields: Record<string, unknown>) =>
    (await server.api.call('createChatCompletion', { body: chat(fields) })).orderId;

  /** Oldest first: three settled orders, one canceled, two waiting. */
  let made: string[] = [];
  before(async () => {
    const settled = [await place({}), await place({ price_limit: 0.5 }), await place({ model: 'harbor' })];
    await server.pass(60_000);
    const canceled = await place({ model: 'reef', detached: true });
    (await server.api.call('cancelOrder', { params: { id: canceled } })).body(200);
    const waiting = [
      await place({ model: 'reef', detached: true, price_limit: 7, max_wait: 2_592_000 }),
      await place({ model: 'reef', detached: true, price_limit: 9, max_wait: 2_592_000 }),
    ];
    made = [...settled, canceled, ...waiting];
  });

  it('200 newest first, with their positions in the book', async () => {
    const page = await list();
    assert.equal(page.object, 'list');
    assert.equal(page.has_more, false);
    assert.equal(page.next_cursor, null);
    assert.deepEqual(
      page.data.map(({ id }) => id),
      made.toReversed(),
    );
    assert.deepEqual(
      page.data.map(({ status }) => status),
      ['queued', 'queued', 'canceled', 'done', 'done', 'done'],
    );
    assert.deepEqual(
      page.data.map(({ queue_position }) => queue_position),
      [1, 2, null, null, null, null],
    );
    assert.deepEqual(
      page.data.map(({ error }) => error),
      [null, null, 'order_canceled', null, null, null],
    );
  });

  it('200 pages that together hold every order once', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list({ limit: 4, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.data.map(({ id }) => id));
      assert.equal(page.has_more, page.next_cursor !== null);
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(seen, made.toReversed());
  });

  it('200 filters by status, model, kind, batch and id', async () => {
    const newest = made.toReversed();
    assert.deepEqual(await ids({ status: 'done' }), newest.slice(3));
    assert.deepEqual(await ids({ status: 'queued,canceled' }), newest.slice(0, 3));
    assert.deepEqual(await ids({ model: 'harbor' }), [made[2]]);
    assert.deepEqual(await ids({ model: 'tide-latest' }), [made[1], made[0]]);
    assert.deepEqual(await ids({ kind: 'chat' }), newest);
    assert.deepEqual(await ids({ kind: 'messages' }), []);
    assert.deepEqual(await ids({ batch: 'none' }), newest);
    assert.deepEqual(await ids({ batch: 'batch_unknown' }), []);
    assert.deepEqual(await ids({ id: made[4] ?? '' }), [made[4]]);
    assert.deepEqual(await ids({ id: (made[4] ?? '').toUpperCase() }), [made[4]]);
    assert.ok((await ids({ id: (made[4] ?? '').slice(0, 8) })).includes(made[4] ?? ''));
  });

  it('200 a date covers its whole day', async () => {
    const newest = made.toReversed();
    assert.deepEqual(await ids({ to: '2026-01-01' }), newest.slice(3));
    assert.deepEqual(await ids({ from: '2026-01-02' }), newest.slice(0, 3));
    assert.deepEqual(await ids({ from: '2026-01-01', to: '2026-01-02' }), newest);
    assert.deepEqual(await ids({ from: '2026-01-03' }), []);
  });

  it('200 usage and pricing on request', async () => {
    const { data } = await list({ include: 'usage,pricing' });
    const harbor = data.find(({ model }) => model === 'harbor');
    assert.equal(harbor?.usage?.prompt_tokens, 12);
    assert.equal(harbor?.pricing, 'fixed');
    assert.deepEqual(harbor?.usd_per_million, { cached: 0.02, uncached: 0.1, output: 0.4 });
    const waiting = data.find(({ status }) => status === 'queued');
    assert.deepEqual([waiting?.usage, waiting?.pricing, waiting?.price_lock], [null, 'market', false]);
    const [plain] = (await list()).data;
    for (const key of ['usage', 'pricing', 'price_lock', 'usd_per_million']) assert.ok(plain && !(key in plain), key);
  });

  // Spec 4.6-16
  it('200 totals on the first page only, and equal to what was charged', async () => {
    const page = await list({ include: 'totals', limit: 4 });
    assert.equal(page.total_orders, 6);
    assert.equal(page.total_failed, 0);
    assert.equal(page.total_charged_usd, (await server.api.call('listUsage')).body(200).total_charged_usd);
    assert.ok((page.total_at_bid_usd ?? 0) >= 0 && (page.total_saved_usd ?? 0) >= 0);
    const next = await list({ include: 'totals', limit: 4, cursor: page.next_cursor ?? '' });
    assert.equal(next.total_orders, null);
    assert.equal(next.total_charged_usd, null);
  });

  // Spec 4.6-15
  it('200 amounts at bid are null when none of the orders is a market order, and 0 without any orders', async () => {
    const fixed = await list({ include: 'totals', model: 'harbor' });
    assert.deepEqual([fixed.total_at_bid_usd, fixed.total_saved_usd], [null, null]);
    const none = await list({ include: 'totals', model: 'ebb' });
    assert.deepEqual([none.total_orders, none.total_at_bid_usd, none.total_saved_usd], [0, 0, 0]);
  });

  it('200 counts on every page, whatever the status filter', async () => {
    const page = await list({ include: 'counts', status: 'done', limit: 2 });
    assert.equal(page.counts?.queued, 2);
    assert.equal(page.counts?.executing, 0);
    const oldest = (await list({ id: made[4] ?? '' })).data[0];
    assert.equal(page.counts?.oldest_queued_at, oldest?.created_at);
    const next = await list({ include: 'counts', status: 'done', limit: 2, cursor: page.next_cursor ?? '' });
    assert.equal(next.counts?.queued, 2);
  });

  // Spec 2.1-28, 4.6-9
  it('200 storage and batch are accepted in include', async () => {
    const [order] = (await list({ include: 'storage,batch' })).data;
    assert.ok(order && 'result_stored' in order && 'batch_id' in order);
    assert.equal(order.batch_id, null);
  });

  // Spec 8-40
  it('200 a limit above 500 is lowered to it', async () => {
    assert.equal((await list({ limit: 100_000 })).data.length, 6);
  });

  it('200 no orders of another account', async () => {
    const other = server.api.as((await server.createAccount()).key);
    assert.deepEqual((await other.call('listOrders')).body(200).data, []);
    const query = { id: made[0] ?? '' };
    assert.deepEqual((await other.call('listOrders', { query })).body(200).data, []);
  });

  it('400 for invalid filters', async () => {
    const bad: readonly [string, string][] = [
      ['status', 'waiting'],
      ['status', 'done,waiting'],
      ['kind', 'image'],
      ['include', 'everything'],
      ['id', '019'],
      ['from', 'yesterday'],
      ['to', '2026-02-30'],
      ['limit', '0'],
      ['limit', '1.5'],
      ['limit', '-1'],
      ['limit', 'ten'],
    ];
    for (const [param, value] of bad) {
      const reply = await server.api.call('listOrders', { query: { [param]: value } });
      assert.equal(reply.refusal(400, 'invalid_request').param, param, `${param}=${value}`);
    }
  });

  it('400 unknown_model for a model that is not served', async () => {
    const reply = await server.api.call('listOrders', { query: { model: 'nobody' } });
    assert.equal(reply.refusal(400, 'unknown_model').param, 'model');
  });

  it('400 invalid_cursor for a cursor of another list, filter or account, and for an invented one', async () => {
    const { next_cursor } = await list({ limit: 1 });
    const cursor = next_cursor ?? '';
    const ask = (query: Query, api = server.api) => api.call('listOrders', { query });
    (await ask({ cursor, status: 'done' })).refusal(400, 'invalid_cursor');
    (await ask({ cursor: 'made-up' })).refusal(400, 'invalid_cursor');
    (await ask({ cursor }, server.api.as((await server.createAccount()).key))).refusal(400, 'invalid_cursor');
    (await server.api.call('listUsage', { query: { cursor } })).refusal(400, 'invalid_cursor');
  });
});
