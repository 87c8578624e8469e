/** A data folder on a disk that takes calls and answers none, as a dead network mount. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chunkOf, streamOf } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { file, form, purpose, upload } from './support/files.ts';
import { user } from './support/message.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const large = streamOf([chunkOf({ content: 'word '.repeat(40_000) }), chunkOf({}, { finish_reason: 'stop' })]);
const keyed = (key: string) => ({ body: chat(), headers: { 'idempotency-key': key } });

describe('a disk that does not answer', () => {
  const server = useServer({ disk_deadline_ms: 5000 });
  const uploading = () => server.api.call('uploadFile', form(purpose(), file()));
  const result = (id: string) => server.api.call('getOrderResult', { params: { id } });
  const drafts = () => readdir(join(server.dataFolder, 'files', 'drafts'));

  it('503 with Retry-After on every route that needs it, first in time and then at once; all others answer', async () => {
    const small = await server.api.call('createChatCompletion', keyed('small'));
    server.answer(large);
    const { orderId } = await server.api.call('createChatCompletion', keyed('large'));
    const { id } = await upload(server.api);
    const spare = await upload(server.api);
    await server.withSilentDisk(async (passTimeUntil) => {
      const replies = await passTimeUntil(
        Promise.all([
          uploading(),
          server.api.call('getFileContent', { params: { id } }),
          result(orderId),
          server.api.call('createChatCompletion', keyed('large')),
        ]),
      );
      const later = [
        await uploading(),
        await result(orderId),
        await server.api.call('createChatCompletion', { body: { ...chat(), detached: true } }),
        await server.api.call('createBatch', {
          body: { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
        }),
      ];
      for (const reply of [...replies, ...later]) {
        reply.refusal(503, 'unavailable');
        assert.equal(reply.headers['retry-after'], '30');
      }
      const health = (await server.api.call('getHealth')).body(200);
      assert.deepEqual([health.ok, health.disk_low], [true, true]);
      (await result(small.orderId)).body(200);
      (await server.api.call('createChatCompletion', { body: chat() })).body(200);
      (await server.api.call('deleteFile', { params: { id: spare.id } })).body(200);
      const waits = { body: chat({ model: 'reef', messages: [user('x'.repeat(100_000))] }) };
      const waiting = server.api.call('createChatCompletion', waits);
      await server.orders({ queued: 1 });
      const [order] = (await server.api.call('listOrders', { query: { limit: 1 } })).body(200).data;
      await server.api.call('cancelOrder', { params: { id: order?.id ?? '' } });
      (await waiting).refusal(409, 'order_canceled');
    });
    // The calls that hung come back in threads of their own.
    await eventually(async () => !(await server.api.call('getHealth')).body(200).disk_low, 'a disk that answers');
    (await result(orderId)).body(200);
    assert.equal((await server.api.call('getFileContent', { params: { id } })).text, '{}\n');
    await uploading().then((reply) => reply.body(200));
    assert.deepEqual(await drafts(), []);
  });

  it('a promised result that cannot be stored: settlement_uncertain, and charged once when the disk answers', async () => {
    const before = await server.charged();
    const { promise: headAfter, resolve: release } = Promise.withResolvers<void>();
    server.answer({ ...large, headAfter });
    const pending = server.api.call('createChatCompletion', keyed('promised'));
    await server.orders({ executing: 1 });
    const orderId = await server.withSilentDisk(async (passTimeUntil) => {
      release();
      const reply = await passTimeUntil(pending);
      reply.refusal(500, 'settlement_uncertain');
      return reply.orderId;
    });
    await server.orders({ queued: 0, executing: 0 });
    assert.equal((await server.charged()).settled, before.settled + 1);
    const repeat = await server.api.call('createChatCompletion', keyed('promised'));
    repeat.body(200);
    assert.equal(repeat.orderId, orderId);
    assert.equal((await server.charged()).settled, before.settled + 1);
  });
});
