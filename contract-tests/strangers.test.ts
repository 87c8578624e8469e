/**
 * Two accounts on one gateway never see anything of each other, in any operation, and whatever is put into a field is
 * refused by name or matches nothing.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type OperationId, operations } from '#generated/operations.ts';
import { batchNow, batchOf, CHAT, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import type { Client } from './support/client.ts';
import { type StoredFile, upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const NO_FILE = `file-${'0'.repeat(32)}`;
const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE orders; --",
  '" OR sleep(5) #',
  '%',
  '_',
  '../../etc/passwd',
  '\r\nlevel=error forged',
  '\u0000',
  '\u202e',
  '{"$gt":""}',
  'x'.repeat(5000),
];

describe('strangers', () => {
  const server = useServer();
  let mine: Client;
  let theirs: Client;
  /** My orders: one that waits and one that is done, with its result stored. */
  let waiting: string;
  let done: string;
  let stored: StoredFile;

  before(async () => {
    mine = server.api.as((await server.createAccount()).key);
    theirs = server.api.as((await server.createAccount()).key);
    const place = (body: object) =>
      mine.call('createChatCompletion', { body, headers: { 'idempotency-key': `key-${JSON.stringify(body).length}` } });
    waiting = (await place(chat({ model: 'reef', detached: true }))).orderId;
    done = (await place(chat())).orderId;
    stored = await upload(mine, 'mine\n');
  });

  const byId = Object.entries(operations)
    .filter(([, { path }]) => path.includes('/orders/{id}'))
    .map(([id]) => id as OperationId);

  for (const operation of byId) {
    it(`404 ${operation} of someone else’s order, with the message of one that does not exist`, async () => {
      const ask = async (id: string) => (await theirs.call(operation, { params: { id } })).refusal(404, 'not_found');
      const unknown = await ask(NOBODY);
      for (const id of [waiting, done, waiting.toUpperCase(), 'nonsense', ...INJECTIONS.slice(0, 6)]) {
        assert.deepEqual(await ask(id), unknown);
      }
    });
  }

  const ofFiles = Object.entries(operations)
    .filter(([, { path }]) => path.includes('/files/{id}'))
    .map(([id]) => id as OperationId);

  for (const operation of ofFiles) {
    it(`404 ${operation} of someone else’s file, with the message of one that does not exist`, async () => {
      const ask = async (id: string) => (await theirs.call(operation, { params: { id } })).refusal(404, 'not_found');
      const unknown = await ask(NO_FILE);
      for (const id of [stored.id, stored.id.toUpperCase(), done, 'nonsense', ...INJECTIONS.slice(0, 6)]) {
        assert.deepEqual(await ask(id), unknown);
      }
    });
  }

  it('200 a stranger’s list of files is empty, even after one of my files, and mine is unchanged', async () => {
    for (const query of [{}, { after: stored.id }, { purpose: 'batch' }]) {
      assert.deepEqual((await theirs.call('listFiles', { query })).body(200).data, []);
    }
    assert.deepEqual((await mine.call('listFiles')).body(200).data, [stored]);
    assert.equal((await mine.call('getFileContent', { params: { id: stored.id } })).text, 'mine\n');
  });

  it('404 someone else’s batch, and its input, look like ones that do not exist', async () => {
    const batch = await batchOf(mine, [line('waits', { model: 'reef' })]);
    for (const operation of ['getBatch', 'cancelBatch'] as const) {
      const ask = async (id: string) => (await theirs.call(operation, { params: { id } })).refusal(404, 'not_found');
      const unknown = await ask(`batch_${'0'.repeat(24)}`);
      for (const id of [batch.id, batch.id.toUpperCase(), ...INJECTIONS.slice(0, 6)])
        assert.deepEqual(await ask(id), unknown);
    }
    const create = async (input_file_id: string) =>
      (await theirs.call('createBatch', { body: { input_file_id, endpoint: CHAT } })).refusal(404, 'not_found');
    const unknown = await create(`file-${'0'.repeat(32)}`);
    for (const id of [batch.input_file_id, ...INJECTIONS]) assert.deepEqual(await create(id), unknown);
    assert.deepEqual((await theirs.call('listBatches', { query: { after: batch.id } })).body(200).data, []);
    assert.deepEqual((await theirs.call('listOrders', { query: { batch: batch.id } })).body(200).data, []);
    await server.pass(500);
    assert.equal((await batchNow(mine, batch.id)).status, 'in_progress');
    await mine.call('cancelBatch', { params: { id: batch.id } });
    await ended(server, batch.id, mine);
  });

  it('200 nothing that a stranger did changed anything', async () => {
    const repriced = await theirs.call('repriceOrders', { body: { ids: [waiting, done], price_limit: 9 } });
    assert.deepEqual(
      repriced.body(200).data.map(({ code }) => code),
      ['not_queued', 'not_queued'],
    );
    const order = (await mine.call('getOrder', { params: { id: waiting } })).body(200);
    assert.deepEqual([order.status, order.bid], ['queued', 5]);
    assert.notEqual((await mine.call('getOrderResult', { params: { id: done } })).body(200).body, null);
  });

  it('200 lists, totals and counts cover only the own account, even with the other’s ids', async () => {
    const queries = [{}, { id: waiting }, { id: done.slice(0, 8) }, { status: 'queued,done' }];
    for (const query of queries) {
      const reply = await theirs.call('listOrders', { query: { ...query, include: 'totals,counts' } });
      const { data, total_orders, counts } = reply.body(200);
      assert.deepEqual([data, total_orders, counts?.queued], [[], 0, 0]);
    }
    const { data, total_requests, balance_usd } = (await theirs.call('listUsage')).body(200);
    assert.deepEqual([data, total_requests, balance_usd], [[], 0, 100]);
    assert.deepEqual((await theirs.call('getAccount')).body(200).orders, { queued: 0, executing: 0 });
  });

  it('200 the same Idempotency-Key in two accounts is two keys', async () => {
    const ask = (api: Client) =>
      api.call('createChatCompletion', { body: chat(), headers: { 'idempotency-key': 'shared' } });
    const [first, second] = [await ask(mine), await ask(theirs)];
    assert.notEqual(first.orderId, second.orderId);
    assert.equal((await ask(mine)).orderId, first.orderId);
    assert.equal((await ask(theirs)).orderId, second.orderId);
  });

  it('400 invalid_cursor for a cursor of the other account, and for every altered one of the own account', async () => {
    for (const list of ['listOrders', 'listUsage'] as const) {
      for (let made = 0; made < 2; made++) await mine.call('createChatCompletion', { body: chat() });
      const { next_cursor } = (await mine.call(list, { query: { limit: 1 } })).body(200);
      assert.ok(next_cursor);
      const refused = async (cursor: string, api = mine) =>
        (await api.call(list, { query: { limit: 1, cursor } })).refusal(400, 'invalid_cursor');
      await refused(next_cursor, theirs);
      const [mark, ...key] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
      const forged = [['x', ...key], [mark, { $gt: '' }], [mark, null], [[mark], ...key], { 0: mark }, mark, null].map(
        (content) => Buffer.from(JSON.stringify(content)).toString('base64url'),
      );
      for (const cursor of [...forged, next_cursor.slice(0, -4), `A${next_cursor}`, ...INJECTIONS])
        await refused(cursor);
    }
  });

  it('400 or an empty answer for anything put into a field of a query', async () => {
    const fields: [OperationId, readonly string[]][] = [
      ['listOrders', ['status', 'model', 'kind', 'batch', 'id', 'from', 'to', 'include', 'limit', 'cursor']],
      ['listUsage', ['model', 'from', 'to', 'limit', 'cursor']],
      ['getOrder', ['include']],
      ['listFiles', ['purpose', 'limit']],
      ['listBatches', ['limit']],
    ];
    const before = (await mine.call('listOrders', { query: { include: 'totals' } })).body(200).total_orders;
    for (const [operation, names] of fields) {
      for (const name of names) {
        for (const value of INJECTIONS) {
          const reply = await mine.call(operation, { params: { id: done }, query: { [name]: value } });
          if (reply.status === 400) continue;
          assert.equal(reply.status, 200, `${operation} ${name}=${value}: ${reply.text}`);
          assert.deepEqual(JSON.parse(reply.text).data, [], `${operation} ${name}=${value}`);
        }
      }
    }
    assert.equal((await mine.call('listOrders', { query: { include: 'totals' } })).body(200).total_orders, before);
  });

  it('400 for limits of 0, negative ones, fractions and words; a huge one is lowered', async () => {
    for (const list of ['listOrders', 'listUsage', 'listFiles', 'listBatches'] as const) {
      for (const limit of ['0', '-1', '1.5', '1e3', 'ten', '0x10', '١', ' 1', '1 ']) {
        (await mine.call(list, { query: { limit } })).refusal(400, 'invalid_request');
      }
      for (const limit of ['501', '9007199254740993', '9'.repeat(400)]) {
        assert.ok((await mine.call(list, { query: { limit } })).body(200).data.length > 0);
      }
    }
  });

  it('400 for invalid days; a time with a zone is the same moment everywhere', async () => {
    for (const list of ['listOrders', 'listUsage'] as const) {
      const found = async (query: Record<string, string>) => (await mine.call(list, { query })).body(200).data.length;
      for (const from of [
        '2026-02-30',
        '2026-13-01',
        '0000-00-00',
        '2026-1-1',
        '01/02/2026',
        '1767312000',
        'NaN',
        'now',
      ]) {
        (await mine.call(list, { query: { from } })).refusal(400, 'invalid_request');
      }
      const now = new Date(server.clock.nowMs() + 60_000).toISOString();
      const local = new Date(server.clock.nowMs() + 60_000 + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
      assert.ok((await found({ to: now })) > 0);
      assert.equal(await found({ to: local }), await found({ to: now }));
      assert.equal(await found({ from: local }), 0);
      assert.equal(await found({ from: '2026-01-03', to: '2026-01-01' }), 0);
    }
  });
});
