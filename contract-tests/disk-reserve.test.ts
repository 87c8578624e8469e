/** A gateway whose disk has less free space than its reserve. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { file, form, purpose } from './support/files.ts';
import { useServer } from './support/server.ts';

describe('a disk below its reserve', () => {
  const server = useServer({ disk_reserve_bytes: 2 ** 50 });

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
});
