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

describe('what all accounts share', () => {
  const server = useServer({ limits: { queued_orders: 4, queued_bytes_in_memory: 300_000 } });

  it('429 rate_limit_error beyond the orders that may wait; one account may have half of them', async () => {
    const waiting = { body: chat({ model: 'reef', detached: true }) };
    const ids = [];
    for (let sent = 0; sent < 2; sent++)
      ids.push((await server.api.call('createChatCompletion', waiting)).body(202).id);
    const refused = await server.uncharged(() => server.api.call('createChatCompletion', waiting));
    assert.match(refused.refusal(429, 'rate_limit_error').message, /in this gateway/);
    const other = server.api.as((await server.createAccount()).key);
    const { id } = (await other.call('createChatCompletion', waiting)).body(202);
    (await other.call('cancelOrder', { params: { id } })).body(200);
    for (const mine of ids) (await server.api.call('cancelOrder', { params: { id: mine } })).body(200);
  });

  it('429 queued_bytes_exceeded beyond what responses may repeat of requests that wait', async () => {
    const repeating = { model: 'reef', input: 'Hi', instructions: 'x'.repeat(60_000), price_limit: 1, stream: true };
    const first = await server.api.open('createResponse', { body: repeating });
    await server.orders({ queued: 1 });
    const unary = { body: { ...repeating, stream: false } };
    const refused = await server.uncharged(() => server.api.call('createResponse', unary));
    assert.match(refused.refusal(429, 'queued_bytes_exceeded').message, /instructions/);
    first.leave();
    await server.orders({ queued: 0 });
  });
});
