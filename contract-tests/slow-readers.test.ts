import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { chunkOf, type MockReply, streamOf } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const PIECE = 'x'.repeat(64 * 1024);

describe('callers who do not read their streams', () => {
  const server = useServer({ limits: { unread_bytes: 1024 * 1024 } });
  const answerOf = (pieces: number): MockReply => {
    const chunks = Array.from({ length: pieces }, () => chunkOf({ content: PIECE }));
    return { ...streamOf([...chunks, chunkOf({}, { finish_reason: 'stop' })]), write: 'each' };
  };

  it('are cut off when there is too much unread, and pay for what was generated, once', async () => {
    // 7 MB, less than a single connection may leave unread. It never ends, so that only the caller can end it.
    const { writes } = answerOf(110);
    server.answer({ writes: writes.slice(0, -2), write: 'each', after: 'hang' });
    const { key } = await server.createAccount();
    const body = JSON.stringify(chat({ stream: true, max_tokens: 1024 }));
    const socket = connect(Number(new URL(server.api.url).port), '127.0.0.1').pause();
    await once(socket, 'connect');
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await server.backend.aborted(1);
    const api = server.api.as(key);
    await eventually(async () => (await server.charged(api)).settled === 1, 'the settlement');
    socket.destroy();
    const { data } = (await api.call('listOrders', { query: { include: 'usage' } })).body(200);
    assert.deepEqual(
      data.map(({ status, usage }) => [status, (usage?.charged_usd ?? 0) > 0]),
      [['done', true]],
    );
  });

  it('while those who read get all of it', async () => {
    server.answer(answerOf(160));
    const reply = await server.api.call('createChatCompletion', { body: chat({ stream: true, max_tokens: 1024 }) });
    assert.equal(reply.status, 200);
    assert.equal(reply.text.split(PIECE).length - 1, 160);
  });
});
