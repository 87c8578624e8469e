/** Tags: what a request is found and summed up by. An extension; docs/buy/batches.md has those of lines. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { batchOf, CHAT, ended, entriesOf, line } from './support/batches.ts';
import { BrowserSession } from './support/browser-session.ts';
import { chat } from './support/chat.ts';
import { upload } from './support/files.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const messages = [{ role: 'user', content: 'Say hello.' }];
const common = { model: 'tide', price_limit: 5 };

describe('tags', () => {
  const server = useServer({ trust_proxy: 1 });
  const send = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    server.api.call('createChatCompletion', { body: chat(fields), headers });
  const tagsOf = async (id: string, api = server.api) =>
    (await api.call('getOrder', { params: { id } })).body(200).tags;

  it('200 every wire shape takes them in the body or in X-Tags, and the body wins', async () => {
    const tags = ['search', 'team:blue'];
    const sent = [
      await send({ tags }),
      await send({}, { 'x-tags': 'search, team:blue' }),
      await send({ tags }, { 'x-tags': 'other' }),
      await send({ tags: ['search', 'team:blue', 'search'] }),
      await server.api.call('createCompletion', { body: { ...common, prompt: 'Hi', tags } }),
      await server.api.call('createResponse', { body: { ...common, input: 'Hi', tags } }),
      await server.api.call('createMessage', { body: { ...common, messages, max_tokens: 16, tags } }),
    ];
    for (const { orderId } of sent) assert.deepEqual(await tagsOf(orderId), tags);
    for (const none of [{}, { tags: null }, { tags: [] }])
      assert.equal(await tagsOf((await send(none)).orderId), undefined);
    assert.equal(await tagsOf((await send({ tags: [] }, { 'x-tags': 'search' })).orderId), undefined);
  });

  it('202 a detached request keeps them, and a repeat with others is another request', async () => {
    const headers = { 'idempotency-key': 'tagged', 'x-tags': 'search' };
    const fields = { model: 'reef', detached: true };
    const { id } = (await send(fields, headers)).body(202);
    assert.deepEqual(await tagsOf(id), ['search']);
    assert.equal((await send(fields, headers)).body(202).id, id);
    (await send(fields, { ...headers, 'x-tags': 'other' })).refusal(409, 'idempotency_error');
    (await send({ ...fields, tags: ['other'] }, headers)).refusal(409, 'idempotency_error');
    await server.api.call('cancelOrder', { params: { id } });
  });

  it('400 for a tag that is none, more than five, or something else, in the envelope of each endpoint', async () => {
    const rule = 'must be at most 5 words, each of 1 to 32 letters, digits, ".", "_", ":" or "-".';
    const long = 'x'.repeat(33);
    for (const tags of [
      'search',
      ['two words'],
      [''],
      [long],
      ['é'],
      [1],
      [null],
      { a: 1 },
      ['1', '2', '3', '4', '5', '6'],
    ]) {
      const { param, message } = (await send({ tags })).refusal(400, 'invalid_request');
      assert.deepEqual([param, message], ['tags', `tags ${rule}`]);
    }
    for (const header of ['', ',', 'two words', long, 'a,,b', '1,2,3,4,5,6']) {
      const { param, message } = (await send({ tags: ['search'] }, { 'x-tags': header })).refusal(
        400,
        'invalid_request',
      );
      assert.deepEqual([param, message], ['x-tags', `x-tags ${rule}`]);
    }
    const tags = ['two words'];
    const refused = [
      await server.api.call('createCompletion', { body: { ...common, prompt: 'Hi', tags } }),
      await server.api.call('createResponse', { body: { ...common, input: 'Hi', tags } }),
      await server.api.call('createMessage', { body: { ...common, messages, max_tokens: 16, tags } }),
    ];
    for (const reply of refused) {
      assert.equal(reply.status, 400);
      assert.ok(reply.text.includes(JSON.stringify(`tags ${rule}`)), reply.text);
    }
  });

  it('200 a near miss is warned of', async () => {
    assert.match((await send({}, { 'x-tag': 'search' })).headers['x-warning'] ?? '', /did you mean X-Tags\?/);
    assert.match((await send({ tag: 'search' })).headers['x-warning'] ?? '', /did you mean tags\?/);
  });

  it('200 a batch gives its tags to the lines that have none', async () => {
    const { id: input } = await upload(
      server.api,
      [line('a'), line('b', { tags: ['own'] }), line('c', { tags: ['x y'] })].join('\n'),
    );
    const body = { input_file_id: input, endpoint: CHAT, price_limit: 5 };
    const headers = { 'x-tags': 'nightly' };
    (await server.api.call('createBatch', { body, headers: { 'x-tags': 'x y' } })).refusal(400, 'invalid_request');
    (await server.api.call('createBatch', { body: { ...body, tags: ['x y'] } })).refusal(400, 'invalid_request');
    const batch = (await server.api.call('createBatch', { body, headers })).body(200);
    assert.deepEqual(batch.tags, ['nightly']);
    const { errors } = await entriesOf(server.api, await ended(server, batch.id));
    assert.deepEqual(
      errors.map(({ custom_id, error }) => [custom_id, error?.code]),
      [['c', 'invalid_request']],
    );
    const { data } = (await server.api.call('listOrders', { query: { batch: batch.id, include: 'batch' } })).body(200);
    const tagged = data.map(({ custom_id, tags }) => [custom_id, tags]).sort();
    assert.deepEqual(tagged, [
      ['a', ['nightly']],
      ['b', ['own']],
    ]);
    const plain = await batchOf(server.api, [line('a')], { tags: ['weekly'] });
    assert.deepEqual([plain.tags, (await batchOf(server.api, [line('a')])).tags], [['weekly'], undefined]);
  });

  describe('in lists and sums', () => {
    let browser: BrowserSession;
    let api: typeof server.api;
    const ids: string[] = [];
    before(async () => {
      const account = await server.createAccount();
      api = server.api.as(account.key);
      const token = await server.operator.invite('tags@example.com', { accountId: account.id, role: 'developer' });
      browser = await BrowserSession.open(server.api, token);
      for (const tags of [['search'], ['search', 'blue'], ['blue'], undefined])
        ids.push((await api.call('createChatCompletion', { body: chat({ tags }) })).orderId);
    });
    const [only, both, other] = [0, 1, 2] as const;

    it('200 orders, their totals and usage of one tag', async () => {
      const orders = (await api.call('listOrders', { query: { tag: 'search', include: 'totals,usage' } })).body(200);
      assert.deepEqual(
        orders.data.map(({ id }) => id),
        [ids[both], ids[only]],
      );
      assert.equal(orders.total_orders, 2);
      const charged = orders.data.reduce((sum, { usage }) => sum + Math.round((usage?.charged_usd ?? 0) * 1e9), 0);
      assert.equal(Math.round((orders.total_charged_usd ?? 0) * 1e9), charged);
      const usage = (await api.call('listUsage', { query: { tag: 'search' } })).body(200);
      assert.deepEqual(
        usage.data.map(({ order_id, tags }) => [order_id, tags]),
        [
          [ids[both], ['search', 'blue']],
          [ids[only], ['search']],
        ],
      );
      assert.deepEqual([usage.total_requests, Math.round((usage.total_charged_usd ?? 0) * 1e9)], [2, charged]);
      const next = (await api.call('listUsage', { query: { tag: 'search', limit: 1 } })).body(200);
      const last = (
        await api.call('listUsage', { query: { tag: 'search', limit: 1, cursor: next.next_cursor ?? '' } })
      ).body(200);
      assert.deepEqual(
        last.data.map(({ order_id }) => order_id),
        [ids[only]],
      );
      assert.deepEqual((await api.call('listUsage', { query: { tag: 'search', model: 'harbor' } })).body(200).data, []);
      assert.deepEqual((await api.call('listOrders', { query: { tag: 'sea' } })).body(200).data, []);
      (await api.call('listOrders', { query: { tag: 'x'.repeat(33) } })).refusal(400, 'invalid_request');
    });

    it('200 members filter by a tag, and see the sums of each set of tags', async () => {
      const { list } = (await browser.call('listMemberOrders', { query: { tag: 'blue' } })).body(200);
      assert.deepEqual(
        list.data.map(({ id }) => id),
        [ids[other], ids[both]],
      );
      const charged = (await browser.call('listMemberOrders', { query: { tag: 'blue', charged_min: '0' } })).body(200);
      assert.deepEqual(
        charged.list.data.map(({ id }) => id),
        [ids[other], ids[both]],
      );
      const sums = async (query: object = {}) =>
        (await browser.call('sumMemberOrders', { query: { ...query } }))
          .body(200)
          .data.map(({ tags, orders }) => [tags.join(), orders])
          .sort();
      assert.deepEqual(await sums(), [
        ['', 1],
        ['blue', 1],
        ['search', 1],
        ['search,blue', 1],
      ]);
      assert.deepEqual(await sums({ tag: 'blue' }), [
        ['blue', 1],
        ['search,blue', 1],
      ]);
    });

    it('200 the operator finds the orders of all accounts by a tag', async () => {
      const desk = await operatorBrowser(server, 'viewer');
      const listed = async (query: object) =>
        (await desk.call('listSoldOrders', { query: { ...query } })).body(200).data.map(({ id }) => id);
      assert.deepEqual((await listed({ tag: 'search' })).slice(0, 2), [ids[both], ids[only]]);
      assert.deepEqual(await listed({ tag: 'search', any_id: ids[other] }), []);
      assert.deepEqual(await listed({ tag: 'blue', any_id: ids[other] }), [ids[other]]);
      assert.deepEqual((await desk.call('showOrder', { params: { id: ids[both] ?? '' } })).body(200).tags, [
        'search',
        'blue',
      ]);
    });
  });
});
