import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { message, user } from './support/message.ts';
import { useServer } from './support/server.ts';

const LARGE = 'x'.repeat(100_000);

describe('the bytes that wait', () => {
  const server = useServer({ limits: { queued_bytes_per_account: 150_000, request_bytes_at_once: 100_000 } });
  const waiting = () => ({ body: chat({ model: 'reef', detached: true, messages: [user(LARGE)] }) });

  it('are shown by GET /v1/rate-limits', async () => {
    const { orders, inference } = (await server.api.call('getRateLimits', { key: null })).body(200);
    assert.equal(orders.queued_bytes_per_account, 150_000);
    assert.equal(inference.request_bytes_at_once, 100_000);
  });

  it('429 queued_bytes_exceeded in each envelope, uncharged, while small requests and others go on', async () => {
    const first = (await server.api.call('createChatCompletion', waiting())).body(202);
    const refused = await server.uncharged(() => server.api.call('createChatCompletion', waiting()));
    assert.equal(refused.refusal(429, 'queued_bytes_exceeded').type, 'rate_limit_error');
    assert.equal(refused.headers['x-should-retry'], 'false');
    const asMessage = { body: message({ model: 'reef', messages: [user(LARGE)] }) };
    const other = await server.uncharged(() => server.api.call('createMessage', asMessage));
    assert.equal(other.refusal(429, 'queued_bytes_exceeded').type, 'rate_limit_error');
    const streamed = { body: chat({ model: 'reef', stream: true, messages: [user(LARGE)] }) };
    (await server.api.call('createChatCompletion', streamed)).refusal(429, 'queued_bytes_exceeded');
    (await server.api.call('createChatCompletion', { body: chat({ messages: [user(LARGE)] }) })).body(200);
    (await server.api.call('cancelOrder', { params: { id: first.id } })).body(200);
    (await server.api.call('createChatCompletion', waiting())).body(202);
  });

  it('bodies beyond the budget of reading wait in turn and are all answered', async () => {
    const body = chat({ messages: [user(LARGE)] });
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => server.api.call('createChatCompletion', { body })),
    );
    for (const reply of replies) reply.body(200);
  });
});
