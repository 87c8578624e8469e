/** A gateway whose bodies and files are in a bucket of an S3-compatible server, and not on its disk. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { cannedReply, chunkOf, streamOf } from '#testing/mock-backend.ts';
import { type S3Server, startS3Server } from '#testing/s3-server.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const LARGE = 'word '.repeat(60_000);
const messages = [{ role: 'user', content: LARGE }];

describe('a gateway with a bucket', () => {
  let bucket: S3Server;
  before(async () => {
    bucket = await startS3Server();
  });
  const server = useServer({}, { bucketUrl: () => bucket.url });
  // After the audit of the gateway.
  after(() => bucket.close());
  const keys = async (folder: string) =>
    (await bucket.keys()).filter((key) => key.startsWith(`some/prefix/${folder}/`));
  const largeAnswer = () => streamOf([chunkOf({ content: LARGE }), chunkOf({}, { finish_reason: 'stop' })]);

  it('stores large results there, serves them after a restart, and deletes them when they expire', async () => {
    server.answer(largeAnswer());
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const ids: string[] = [];
    for (const headers of [{ 'idempotency-key': 'large' }, {}]) {
      const reply = await api.call('createChatCompletion', { body: chat(), headers });
      ids.push(reply.orderId);
      await server.pass(1000);
      await eventually(async () => (await keys('results')).length === ids.length, 'a stored result');
    }
    server.answer(cannedReply());
    const collect = (id: string) => server.api.as(key).call('getOrderResult', { params: { id } });
    await server.restart();
    for (const id of ids) assert.ok((await collect(id)).text.includes(LARGE.trim()));
    for (const id of ids) await server.operator.expire(id, server.clock.nowMs());
    await server.pass(61_000);
    assert.deepEqual(await keys('results'), []);
    for (const id of ids) assert.equal((await collect(id)).status, 410);
  });

  it('runs a batch whose files are there, and deletes them', async () => {
    const lines = Array.from({ length: 5 }, (_, at) => line(`line ${at}`, { messages }));
    const batch = await batchOf(server.api, [...lines, line('bad', { model: 'nobody' })]);
    const finished = await ended(server, batch.id);
    assert.deepEqual(finished.request_counts, { total: 6, completed: 5, failed: 1 });
    const { output, errors } = await entriesOf(server.api, finished);
    assert.deepEqual([output.length, errors.length], [5, 1]);
    assert.ok((await keys('files')).length >= 4);
    for (const id of [finished.input_file_id, finished.output_file_id, finished.error_file_id])
      (await server.api.call('deleteFile', { params: { id: id ?? '' } })).body(200);
    assert.deepEqual(await keys('files'), []);
  });

  it('keeps what a large detached request sends there over a restart, until its order ends', async () => {
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const body = chat({ model: 'reef', detached: true, messages, price_limit: 0.01 });
    const { orderId } = await api.call('createChatCompletion', { body });
    assert.equal((await keys('queued')).length, 1);
    await server.restart();
    assert.equal((await keys('queued')).length, 1);
    await server.api.as(key).call('cancelOrder', { params: { id: orderId } });
    await eventually(async () => (await keys('queued')).length === 0, 'a deleted input');
  });

  it('serves a large upload as it came, and leaves nothing of a deleted one', async () => {
    const kept = await upload(server.api, LARGE.repeat(8));
    const { bytes } = (await server.api.call('getFile', { params: { id: kept.id } })).body(200);
    assert.equal(bytes, LARGE.length * 8);
    assert.equal((await server.api.call('getFileContent', { params: { id: kept.id } })).text, LARGE.repeat(8));
    await server.api.call('deleteFile', { params: { id: kept.id } });
    assert.deepEqual(await keys('files'), []);
  });

  it('writes nothing but its database to its disk', () => {
    // The configuration file is the test's own.
    const names = readdirSync(server.dataFolder).filter((name) => !/^(sluice\.sqlite|contract-test\.yaml$)/.test(name));
    assert.deepEqual(names, []);
  });
});
