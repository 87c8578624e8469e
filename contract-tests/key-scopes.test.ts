/**
 * What a key reaches. A key with a budget sees and changes only what it made, on every operation of the document: an
 * operation that is added must be added here. Beside it the refusals: scopes that are missing, and addresses.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type OperationId, operations } from '#generated/operations.ts';
import { cannedReply } from '#testing/mock-backend.ts';
import { batchNow, batchOf, CHAT, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import type { Client, RequestOptions } from './support/client.ts';
import { file, form, purpose, upload } from './support/files.ts';
import { useServer } from './support/server.ts';
import { COMMAND_LINE, type TestAccount } from './support/test-operator.ts';

type Keyed = {
  [Id in OperationId]: (typeof operations)[Id]['security'] extends 'key' | 'key-or-header' ? Id : never;
}[OperationId];

const CENT = 10_000_000n;
const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const NO_FILE = `file-${'0'.repeat(32)}`;
const NO_BATCH = `batch_${'0'.repeat(24)}`;
/** A request that each inference operation would take. */
const ASKED: Readonly<Record<string, object>> = {
  createChatCompletion: chat({ max_tokens: 8 }),
  createCompletion: { model: 'tide', prompt: 'Hi', max_tokens: 8, price_limit: 5 },
  createResponse: { model: 'tide', input: 'Hi', max_output_tokens: 16, price_limit: 5 },
  createMessage: { model: 'tide', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }], max_price: 5 },
  countMessageTokens: { model: 'tide', messages: [{ role: 'user', content: 'Hi' }] },
};
const keyed = Object.entries(operations)
  .filter(([, { security }]) => security !== 'open')
  .map(([id]) => id as Keyed);

/** What one key has made. */
interface Made {
  readonly waiting: string;
  readonly done: string;
  readonly response: string;
  readonly file: string;
  readonly batch: string;
  readonly output: string;
}

describe('a key with a budget of one cent', () => {
  const server = useServer({ responses: { background: true } });
  let account: TestAccount;
  let wide: Client;
  let narrow: Client;
  let theirs: Made;
  let own: Made;

  async function makeAll(api: Client): Promise<Made> {
    const place = async (fields: object) =>
      (await api.call('createChatCompletion', { body: chat({ max_tokens: 8, ...fields }) })).orderId;
    const done = await place({});
    const waiting = await place({ model: 'reef', detached: true, price_limit: 0.001 });
    const background = { model: 'reef', input: 'Hi', background: true, max_output_tokens: 16, price_limit: 0.001 };
    const { id: response } = (await api.call('createResponse', { body: background })).body(200);
    const { id: stored } = await upload(api, 'kept\n');
    const finished = await ended(server, (await batchOf(api, [line('a', { max_tokens: 8 })])).id, api);
    const { id: batch } = await batchOf(api, [line('b', { model: 'reef', max_tokens: 8 })], { price_limit: 0.001 });
    assert.ok(finished.output_file_id);
    return { waiting, done, response, file: stored, batch, output: finished.output_file_id };
  }

  before(async () => {
    account = await server.createAccount();
    wide = server.api.as(account.key);
    const { secret } = await server.operator.keys.create(account.id, { budget: CENT }, COMMAND_LINE);
    narrow = server.api.as(secret);
    theirs = await makeAll(wide);
    own = await makeAll(narrow);
  });

  /** Everything of the other key as its own key sees it. */
  async function seen() {
    const orders = (await wide.call('listOrders', { query: { include: 'usage,storage' } })).body(200).data;
    const [stored, batch, settings] = [
      (await wide.call('getFileContent', { params: { id: theirs.file } })).text,
      await batchNow(wide, theirs.batch),
      (await wide.call('getAccount')).body(200),
    ];
    const those = [theirs.waiting, theirs.done, theirs.response.slice('resp_'.length)];
    return {
      // Its place in the book is the market's, which every order moves.
      orders: orders.filter(({ id }) => those.includes(id)).map(({ queue_position: _, ...order }) => order),
      stored,
      batch,
      limits: [settings.default_price_limit, settings.price_lock, settings.order_timeout_seconds],
    };
  }

  /** The other's thing is not found, in the words for one that does not exist; the own one is. */
  const one =
    (name: keyof Made, unknown: string, ownStatus = 200) =>
    async (id: OperationId) => {
      const ask = (of: string, options: RequestOptions = {}) => narrow.call(id, { ...options, params: { id: of } });
      const refused = async (of: string) => (await ask(of)).refusal(404, 'not_found');
      const none = await refused(unknown);
      const others = name === 'waiting' || name === 'done' ? [theirs.done, theirs.waiting] : [theirs[name]];
      for (const other of [...others, ...others.map((text) => text.toUpperCase())])
        assert.deepEqual(await refused(other), none);
      const mine = await ask(own[name]);
      assert.equal(mine.status, ownStatus, `${id}: ${mine.text}`);
    };

  /** A list has what the key made, and nothing of the other's, also after a page of those. */
  const list =
    (mine: (made: Made) => readonly string[], query: Record<string, string> = {}) =>
    async (id: OperationId) => {
      const ids = async (more: Record<string, string> = {}) => {
        const { text, status } = await narrow.call(id, { query: { ...query, ...more } });
        assert.equal(status, 200, text);
        return JSON.parse(text);
      };
      const { data } = await ids();
      const listed = data.map((each: { id: string; order_id?: string }) => each.order_id ?? each.id);
      for (const made of mine(own)) assert.ok(listed.includes(made), `${id} lacks ${made}`);
      for (const made of mine(theirs)) assert.ok(!listed.includes(made), `${id} shows ${made}`);
      return ids;
    };

  const inference = async (id: OperationId) => {
    assert.equal((await narrow.call(id, { body: ASKED[id] })).status, 200, id);
  };

  const attempts: Readonly<Record<Keyed, (id: OperationId) => Promise<unknown>>> = {
    createChatCompletion: inference,
    createCompletion: inference,
    createResponse: inference,
    createMessage: inference,
    countMessageTokens: inference,
    getOrder: one('done', NOBODY),
    getOrderResult: one('done', NOBODY),
    getOrderReceipt: one('done', NOBODY),
    streamOrder: one('done', NOBODY, 409),
    cancelOrder: one('waiting', NOBODY),
    deleteOrderResult: one('done', NOBODY),
    getResponse: one('response', `resp_${NOBODY}`),
    cancelResponse: one('response', `resp_${NOBODY}`),
    getFile: one('file', NO_FILE),
    getFileContent: one('output', NO_FILE),
    deleteFile: one('file', NO_FILE),
    getBatch: one('batch', NO_BATCH),
    cancelBatch: one('batch', NO_BATCH),
    uploadFile: async () => {
      (await narrow.call('uploadFile', form(purpose(), file()))).body(200);
    },
    async createBatch() {
      const create = async (input_file_id: string) =>
        narrow.call('createBatch', { body: { input_file_id, endpoint: CHAT, price_limit: 5 } });
      const none = (await create(NO_FILE)).refusal(404, 'not_found');
      for (const id of [theirs.file, theirs.output])
        assert.deepEqual((await create(id)).refusal(404, 'not_found'), none);
      const { id } = (await create((await upload(narrow, line('c', { max_tokens: 8 }))).id)).body(200);
      // Lists are compared below: nothing in them may still change.
      await ended(server, id, narrow);
    },
    async listOrders(id) {
      const ids = await list(({ waiting, done }) => [waiting, done], { include: 'totals,counts' })(id);
      const { data, total_orders, total_charged_usd, counts } = await ids();
      assert.equal(total_orders, data.length);
      const queued = data.filter(({ status }: { status: string }) => status === 'queued').length;
      assert.equal(counts.queued, queued);
      const usage = (await narrow.call('listUsage')).body(200);
      assert.equal(total_charged_usd, usage.total_charged_usd);
      for (const query of [
        { id: theirs.done },
        { batch: theirs.batch },
        { id: theirs.waiting.slice(0, 8), batch: theirs.batch },
      ]) {
        const found = await ids(query);
        assert.deepEqual([found.data, found.total_orders, found.counts.queued], [[], 0, 0]);
      }
    },
    async listUsage(id) {
      const ids = await list(({ done }) => [done])(id);
      const { data, total_requests, balance_usd } = await ids();
      assert.equal(total_requests, data.length);
      assert.ok(balance_usd > 0 && balance_usd < 0.01);
      const paged = await ids({ limit: '1' });
      (await wide.call('listUsage', { query: { limit: 1, cursor: paged.next_cursor } })).refusal(400, 'invalid_cursor');
    },
    async listFiles(id) {
      const ids = await list((made) => [made.file, made.output])(id);
      assert.deepEqual(await ids({ after: theirs.file }), await ids());
    },
    async listBatches(id) {
      const ids = await list(({ batch }) => [batch])(id);
      assert.deepEqual(await ids({ after: theirs.batch }), await ids());
    },
    async getAccount() {
      const { orders, balance_usd } = (await narrow.call('getAccount')).body(200);
      const { counts } = (await narrow.call('listOrders', { query: { include: 'counts' } })).body(200);
      assert.deepEqual(orders.queued, counts?.queued);
      assert.ok(balance_usd > 0 && balance_usd < 0.01);
    },
    async updateAccount() {
      for (const body of [{}, { price_lock: true }, { order_timeout_seconds: 60 }])
        (await narrow.call('updateAccount', { body })).refusal(403, 'missing_scope');
    },
    async repriceOrders() {
      const ids = [theirs.waiting, theirs.done, theirs.response.slice('resp_'.length), own.waiting];
      const { data } = (await narrow.call('repriceOrders', { body: { ids, price_limit: 0.002 } })).body(200);
      assert.deepEqual(
        data.map(({ code }) => code),
        ['not_queued', 'not_queued', 'not_queued', null],
      );
    },
  };

  it('the operations below are those of the document that need a key', () => {
    assert.deepEqual(Object.keys(attempts).sort(), [...keyed].sort());
  });

  // What ends things comes last.
  const last = ['deleteOrderResult', 'cancelOrder', 'cancelResponse', 'deleteFile', 'cancelBatch'];
  for (const id of [...keyed.filter((one) => !last.includes(one)), ...(last as Keyed[])]) {
    it(`${id} neither shows nor changes anything of another key of the account`, async () => {
      const before = await seen();
      await attempts[id](id);
      assert.deepEqual(await seen(), before);
    });
  }

  it('200 an Idempotency-Key of another key is free, a repeat with the own key is a repeat', async () => {
    const ask = (api: Client, content = 'Hi') =>
      api.call('createChatCompletion', {
        body: chat({ max_tokens: 8, messages: [{ role: 'user', content }] }),
        headers: { 'idempotency-key': 'shared' },
      });
    const first = await ask(wide);
    const mine = await ask(narrow);
    assert.equal(mine.status, 200);
    assert.notEqual(mine.orderId, first.orderId);
    assert.equal((await ask(narrow)).orderId, mine.orderId);
    assert.equal((await ask(wide)).orderId, first.orderId);
    (await ask(narrow, 'Ho')).refusal(409, 'idempotency_error');
    const dry = await narrow.call('createChatCompletion', {
      body: chat({ max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] }),
      headers: { 'idempotency-key': 'shared', 'x-dry-run': 'true' },
    });
    assert.equal(dry.body(203).repeats_order, mine.orderId);
  });

  it('200 a repeat stays a repeat when the key gets a budget in between, and when it loses it', async () => {
    const { key, secret } = await server.operator.keys.create(account.id, {}, COMMAND_LINE);
    const ask = (name: string) =>
      server.api.as(secret).call('createChatCompletion', {
        body: chat({ max_tokens: 8 }),
        headers: { 'idempotency-key': name },
      });
    const change = async (budget: bigint | null) => {
      await server.operator.keys.update(key.id, { budget }, COMMAND_LINE);
      await server.pass(1000);
    };
    const first = await ask('before');
    await change(CENT);
    assert.equal((await ask('before')).orderId, first.orderId);
    const second = await ask('meanwhile');
    await change(null);
    assert.equal((await ask('meanwhile')).orderId, second.orderId);
    assert.equal((await ask('before')).orderId, first.orderId);
  });

  it('404 the stream of a response, and of an order that runs, of another key', async () => {
    const finish = server.holdAnswers();
    const background = { ...ASKED.createResponse, background: true };
    const start = async (api: Client) => (await api.call('createResponse', { body: background })).body(200).id;
    const [running, mine] = [await start(wide), await start(narrow)];
    const follow = (id: string) => narrow.call('getResponse', { params: { id }, query: { stream: 'true' } });
    const stream = (id: string) => narrow.call('streamOrder', { params: { id: id.slice('resp_'.length) } });
    (await follow(running)).refusal(404, 'not_found');
    (await stream(running)).refusal(404, 'not_found');
    const own = [follow(mine), stream(mine)];
    finish();
    for (const reply of await Promise.all(own)) assert.equal(reply.status, 200);
    (await follow(running)).refusal(404, 'not_found');
    (await stream(running)).refusal(404, 'not_found');
    server.answer(cannedReply());
  });

  it('400 previous_response_id, also of a response of its own', async () => {
    for (const previous_response_id of [theirs.response, own.response])
      (await narrow.call('createResponse', { body: { ...ASKED.createResponse, previous_response_id } })).refusal(
        400,
        'invalid_request',
      );
  });
});

describe('scopes of keys', () => {
  const server = useServer({ trust_proxy: 1 });
  let account: TestAccount;
  before(async () => {
    account = await server.createAccount();
  });
  const keyWith = async (settings: Parameters<typeof server.operator.keys.create>[1]) =>
    server.api.as((await server.operator.keys.create(account.id, settings, COMMAND_LINE)).secret);
  const paramsOf = (id: Keyed) => {
    const { path } = operations[id];
    return { id: path.includes('files') ? NO_FILE : path.includes('batches') ? NO_BATCH : NOBODY };
  };
  const refusedBy = async (api: Client) => {
    const refused: Keyed[] = [];
    for (const id of keyed) {
      // What cannot be parsed would be 400, and what is not there 404.
      const reply = await api.call(id, {
        params: paramsOf(id),
        ...(operations[id].body === 'json' ? { raw: '{' } : {}),
      });
      if (reply.status === 403) {
        assert.equal(reply.refusal(403, 'missing_scope').type, 'permission_error');
        refused.push(id);
      }
    }
    return refused;
  };
  const needing = (...accesses: readonly string[]) => keyed.filter((id) => accesses.includes(operations[id].scope));

  it('403 missing_scope in each envelope for what a key may not do, before its body is read; uncharged', async () => {
    const wide = server.api.as(account.key);
    await server.uncharged(async () => {
      assert.deepEqual(await refusedBy(await keyWith({ scopes: ['inference'] })), needing('read', 'manage'));
      assert.deepEqual(
        await refusedBy(await keyWith({ scopes: ['read_own'] })),
        needing('inference', 'change', 'manage'),
      );
      assert.deepEqual(
        await refusedBy(await keyWith({ scopes: ['read_all'] })),
        needing('inference', 'change', 'manage'),
      );
      assert.deepEqual(await refusedBy(await keyWith({ scopes: ['manage'] })), needing('inference', 'read'));
      assert.deepEqual(await refusedBy(await keyWith({ models: ['tide'] })), needing('manage'));
      assert.deepEqual(await refusedBy(wide), []);
    }, wide);
  });

  it('200 read_all reads what other keys made and changes nothing of it; manage changes it', async () => {
    const wide = server.api.as(account.key);
    const waiting = async () =>
      (await wide.call('createChatCompletion', { body: chat({ model: 'reef', detached: true }) })).orderId;
    const params = { id: await waiting() };
    const reader = await keyWith({ scopes: ['inference', 'read_all'] });
    (await reader.call('getOrder', { params })).body(200);
    (await reader.call('cancelOrder', { params })).refusal(404, 'not_found');
    const manager = await keyWith({ scopes: ['manage'] });
    (await manager.call('cancelOrder', { params })).body(200);
    (await manager.call('updateAccount', { body: {} })).body(200);
  });

  it('200 scopes that are set win over the default of a budget, which comes back without them', async () => {
    const { key, secret } = await server.operator.keys.create(
      account.id,
      { budget: CENT, scopes: ['read_all', 'inference'] },
      COMMAND_LINE,
    );
    const api = server.api.as(secret);
    const { total_orders } = (await api.call('listOrders', { query: { include: 'totals' } })).body(200);
    assert.ok(total_orders !== null && total_orders > 0);
    await server.operator.keys.update(key.id, { scopes: null }, COMMAND_LINE);
    await server.pass(1000);
    assert.deepEqual((await api.call('listOrders')).body(200).data, []);
  });

  it('403 address_not_allowed in each envelope from anywhere but the addresses of the key', async () => {
    const api = await keyWith({ addresses: ['203.0.113.0/24', '2001:db8::/48', '198.51.100.7'] });
    const from = (address: string, id: Keyed = 'listOrders') =>
      api.call(id, { headers: { 'x-forwarded-for': address }, params: paramsOf(id), body: ASKED[id] });
    for (const address of ['203.0.113.9', '198.51.100.7', '2001:db8:0:ffff::1', '::ffff:203.0.113.1'])
      assert.equal((await from(address)).status, 200, address);
    await server.uncharged(async () => {
      for (const id of keyed)
        for (const address of ['198.51.100.8', '2001:db8:1::1', '127.0.0.1', 'nonsense'])
          (await from(address, id)).refusal(403, 'address_not_allowed');
    }, server.api.as(account.key));
    const { message } = (await from('198.51.100.8')).refusal(403, 'address_not_allowed');
    assert.equal(message, 'This API key may not be used from 198.51.100.8.');
    // The address that the last proxy saw counts, whatever the caller says was before it.
    (await from('203.0.113.9, 198.51.100.8')).refusal(403, 'address_not_allowed');
  });
});

describe('a key with a budget in an account that stores nearly all it may', () => {
  const server = useServer({ limits: { stored_bytes_per_account: 3_000 } });
  const CAP = 3_000;

  /** An account, an ordinary key of it, which has stored as many bytes, and a narrow one. */
  async function nearlyFull(stored: number, settings: object = { budget: CENT }) {
    const account = await server.createAccount();
    const wide = server.api.as(account.key);
    const { secret } = await server.operator.keys.create(account.id, settings, COMMAND_LINE);
    const content = 'a'.repeat(stored);
    const { id } = await upload(wide, content);
    await server.pass(1);
    const stays = async () => {
      await server.pass(60_000);
      assert.equal((await wide.call('getFileContent', { params: { id } })).text, content);
    };
    return { wide, narrow: server.api.as(secret), stays };
  }
  const keyed = (name: string) => ({
    body: chat({ max_tokens: 8 }),
    headers: { 'idempotency-key': name },
  });

  it('429 for an upload that would evict what other keys stored, and 200 for one that fits', async () => {
    const { narrow, stays } = await nearlyFull(CAP - 40);
    const refused = await narrow.call('uploadFile', form(purpose(), file('b'.repeat(60))));
    refused.refusal(429, 'rate_limit_error');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    await upload(narrow, 'c'.repeat(40));
    await stays();
  });

  it('429 for an upload by a key that reads everything and manages nothing', async () => {
    const { narrow, stays } = await nearlyFull(CAP - 40, { scopes: ['inference', 'read_all'] });
    (await narrow.call('uploadFile', form(purpose(), file('b'.repeat(60))))).refusal(429, 'rate_limit_error');
    await stays();
  });

  it('200 for requests whose results do not fit: these go, and not what other keys stored', async () => {
    const { narrow, stays } = await nearlyFull(CAP - 40);
    for (let asked = 0; asked < 5; asked++)
      (await narrow.call('createChatCompletion', { body: chat({ max_tokens: 8 }) })).body(200);
    await stays();
  });

  it('200 for a batch whose output does not fit: it goes, and not what other keys stored', async () => {
    const { narrow, stays } = await nearlyFull(CAP - 600);
    const batch = await batchOf(
      narrow,
      ['a', 'b', 'c'].map((id) => line(id, { max_tokens: 8 })),
    );
    await ended(server, batch.id, narrow);
    await stays();
  });

  it('429 for detached and keyed requests and batches once there is no room; uncharged, a repeat still 200', async () => {
    const { wide, narrow } = await nearlyFull(CAP - 200);
    const input = await upload(narrow, line('a', { max_tokens: 8 }));
    const first = await narrow.call('createChatCompletion', keyed('first'));
    assert.equal(first.status, 200);
    await server.uncharged(async () => {
      const detached = { body: chat({ max_tokens: 8, detached: true }) };
      for (const asked of [detached, keyed('second')])
        (await narrow.call('createChatCompletion', asked)).refusal(429, 'rate_limit_error');
      const batch = { input_file_id: input.id, endpoint: CHAT, price_limit: 5 };
      const refused = await narrow.call('createBatch', { body: batch });
      refused.refusal(429, 'rate_limit_error');
      assert.ok(Number(refused.headers['retry-after']) > 0);
    }, wide);
    assert.equal((await narrow.call('createChatCompletion', keyed('first'))).orderId, first.orderId);
    assert.equal((await wide.call('createChatCompletion', keyed('wide'))).status, 200);
    assert.equal((await narrow.call('createChatCompletion', { body: chat({ max_tokens: 8 }) })).status, 200);
  });
});
