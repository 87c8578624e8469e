import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LOOK, message, user } from './support/message.ts';
import { useServer } from './support/server.ts';

describe('POST /v1/messages refuses before there is an order', () => {
  const server = useServer();

  /** Asks whole and streamed; asserts the refusal, and that nothing was charged, no order made and no backend asked. */
  async function refused(code: string, fields: Record<string, unknown>, headers: Record<string, string> = {}) {
    const heard = server.backend.requests.length;
    for (const stream of [false, true]) {
      const reply = await server.uncharged(() =>
        server.api.call('createMessage', { body: message({ stream, ...fields }), headers }),
      );
      reply.refusal(400, code);
      assert.equal(reply.headers['x-service-order-id'], undefined, 'An order was made.');
    }
    assert.equal(server.backend.requests.length, heard, 'The backend was asked.');
    await server.orders({ queued: 0, executing: 0 });
  }

  it('400 without max_tokens, and for an invalid one', async () => {
    await refused('invalid_request', { max_tokens: undefined });
    await refused('invalid_request', { max_tokens: null });
    for (const max_tokens of [0, -1, 1.5, '5']) await refused('invalid_output_cap', { max_tokens });
  });

  // Spec 4.5-23
  it('400 missing_bid when no price is set, or only null', async () => {
    await refused('missing_bid', { max_price: undefined });
    await refused('missing_bid', { max_price: null });
  });

  it('400 for a price or a wait out of bounds, in the body and in a header', async () => {
    for (const max_price of [-1, 1_000_000_001, '5']) await refused('invalid_price_limit', { max_price });
    await refused('invalid_price_limit', {}, { 'x-max-price': 'cheap' });
    for (const max_wait of [0, 1.5, 2_592_001]) await refused('invalid_max_wait', { max_wait });
    await refused('invalid_max_wait', {}, { 'x-expires-after': '1.5' });
  });

  it('400 for missing or malformed messages, and for unknown roles', async () => {
    for (const messages of [undefined, null, [], 'hello', ['hello'], [{ role: 'tool', content: 'a' }], [user(5)]])
      await refused('invalid_request', { messages });
  });

  it('400 for content that no model here can read', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: '' };
    for (const type of ['image', 'document', 'search_result', 'container_upload'])
      await refused('invalid_request', { messages: [user([{ type, source }])] });
    const inside = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] };
    await refused('invalid_request', { messages: [user([inside])] });
    await refused('invalid_request', { system: [{ type: 'image', source }] });
  });

  it('400 for built-in tools, tools without a name and a choice of a tool that is not there', async () => {
    for (const tool of [{ type: 'bash_20250124', name: 'bash' }, { ...LOOK, name: '' }, 'look'])
      await refused('invalid_request', { tools: [tool] });
    await refused('invalid_request', { tools: [LOOK], tool_choice: { type: 'tool', name: 'listen' } });
    await refused('invalid_request', { tool_choice: { type: 'any' } });
    await refused('invalid_request', { tools: [LOOK], tool_choice: { type: 'sometimes' } });
  });

  it('400 for tool servers and for detached', async () => {
    await refused('invalid_request', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] });
    await refused('invalid_request', { detached: true });
  });

  it('400 for a thread, with the details by which official clients send the whole history; null is none', async () => {
    for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }, false]) {
      await refused('invalid_request', { thread });
      for (const operation of ['createMessage', 'countMessageTokens'] as const) {
        const { error } = (await server.api.call(operation, { body: message({ thread }) })).body(400);
        assert.deepEqual(error.details, { error_code: 'thread_unsupported_request' });
      }
    }
    (await server.api.call('createMessage', { body: message({ thread: null }) })).body(200);
  });

  it('400 for stop sequences, a user or a format out of bounds', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'];
    for (const stop_sequences of [five, ['x'.repeat(257)], 'a', [5]])
      await refused('invalid_request', { stop_sequences });
    await refused('invalid_request', { metadata: { user_id: 5 } });
    await refused('invalid_request', { output_config: { format: { type: 'xml' } } });
  });

  it('400 for a body that is not JSON or not an object', async () => {
    for (const [raw, code] of [
      ['{', 'invalid_json'],
      ['[]', 'invalid_request'],
      ['null', 'invalid_request'],
    ] as const)
      (await server.uncharged(() => server.api.call('createMessage', { raw }))).refusal(400, code);
  });

  it('405 has the envelope of this shape too', async () => {
    const { status, text } = await (await server.api.request('PUT', '/v1/messages')).whole();
    const { type, error } = JSON.parse(text);
    assert.deepEqual([status, type, error.type], [405, 'error', 'invalid_request_error']);
  });
});
