/** A gateway whose disk has less free space than its reserve. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { file, form, purpose } from './support/files.ts';
import { user } from './support/message.ts';
import { useServer } from './support/server.ts';

describe('a disk below its reserve', () => {
  const server = useServer({ disk_reserve_bytes: 2 ** 50, limits: { queued_bytes_in_memory: 150_000 } });

  it('503 with Retry-After for what must be stored, and GET /healthz says why', async () => {
    const replies = [
      await server.api.call('uploadFile', form(purpose(), file())),
      await server.api.call('createChatCompletion', { body: { ...chat(), detached: true } }),
      await server.api.call('createChatCompletion', { body: chat(), headers: { 'idempotency-key': 'key' } }),
    ];
    for (const reply of replies) {
      reply.refusal(503, 'unavailable');
      assert.equal(reply.headers['retry-after'], '30');
    }
    const health = (await server.api.call('getHealth')).body(200);
    assert.deepEqual([health.ok, health.disk_low], [true, true]);
    (await server.api.call('createChatCompletion', { body: chat() })).body(200);
  });

  it('keeps a large request that waits in memory, and answers 503 once that is used up', async () => {
    const waiting = () => ({ body: chat({ model: 'reef', stream: true, messages: [user('x'.repeat(100_000))] }) });
    const first = await server.api.open('createChatCompletion', waiting());
    await server.orders({ queued: 1 });
    const refused = await server.api.call('createChatCompletion', waiting());
    refused.refusal(503, 'unavailable');
    assert.equal(refused.headers['retry-after'], '30');
    assert.equal(existsSync(join(server.dataFolder, 'queued')), false);
    (await server.api.call('createChatCompletion', { body: chat() })).body(200);
    first.leave();
    await server.orders({ queued: 0 });
  });
});
