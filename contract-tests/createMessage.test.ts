import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { cannedReply, chunkOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { chargeOf, pricesAt } from './support/chat.ts';
import { itEndsAsOrdersDo } from './support/inference-outcomes.ts';
import { LOOK, message, user } from './support/message.ts';
import { useServer } from './support/server.ts';

const TEXT = 'word0 word1 word2 word3 word4 word5 word6 word7 ';
const TOKENS = { cached: 4, uncached: 8, output: 8 };
const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const FINISH = chunkOf({}, { finish_reason: 'stop' });
const USAGE = { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: 8 }) };

describe('POST /v1/messages', () => {
  const server = useServer();
  const ask = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    server.api.call('createMessage', { body: message(fields), headers });
  /** The body that the backend received for a request that was answered. */
  const forwarded = async (fields: Record<string, unknown>) => {
    (await ask(fields)).body(200);
    return server.lastRequest();
  };
  afterEach(() => server.answer(cannedReply()));

  it('200 a message with its text, its counts and a receipt that anyone can recompute', async () => {
    const reply = await ask();
    const { id, type, role, model, content, stop_reason, stop_sequence, usage } = reply.body(200);
    assert.deepEqual([id, type, role, model], [`msg_${reply.orderId}`, 'message', 'assistant', 'tide']);
    assert.deepEqual(content, [{ type: 'text', text: TEXT }]);
    assert.deepEqual([stop_reason, stop_sequence], ['end_turn', null]);
    const { charged_usd, level_at_execution, order_id } = usage.x_market;
    assert.equal(order_id, reply.orderId);
    assert.equal(charged_usd, chargeOf(TOKENS, pricesAt(level_at_execution, RATIO)));
  });

  it('200 usage counts cached and uncached prompt tokens separately, and never a cache that was written', async () => {
    const { usage } = (await ask()).body(200);
    assert.deepEqual([usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens], [8, 4, 8]);
    assert.equal(usage.cache_creation_input_tokens, 0);
  });

  // Spec 4.5-22
  it('200 the price may come as max_price, in X-Max-Price, or be the default of the key; the body wins', async () => {
    const bid = async (fields: Record<string, unknown>, headers?: Record<string, string>) =>
      (await ask(fields, headers)).body(200).usage.x_market.bid;
    assert.equal(await bid({ max_price: 5 }), 5);
    assert.equal(await bid({ max_price: undefined }, { 'x-max-price': '6' }), 6);
    assert.equal(await bid({ max_price: 5 }, { 'x-max-price': '6' }), 5);
    const { key } = await server.createAccount({ keyPriceLimits: { tide: 7 } });
    const body = message({ max_price: undefined });
    const reply = await server.api.as(key).call('createMessage', { body });
    assert.equal(reply.body(200).usage.x_market.bid, 7);
  });

  it('200 the blocks of a system prompt are joined with blank lines, and one in the middle of the list is accepted', async () => {
    const system = ['One.', 'Two.'].map((text) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } }));
    const { messages } = await forwarded({ system });
    assert.deepEqual(messages, [{ role: 'system', content: 'One.\n\nTwo.' }, user('Say hello.')]);
    const later = [user('Hello?'), { role: 'system', content: 'Be brief.' }, user('Well?')];
    const told = (await forwarded({ messages: later })).messages as { content: string }[];
    assert.match(JSON.stringify(told), /Be brief\./);
  });

  it('200 tool results become tool messages before the user’s text in the same turn', async () => {
    const called = { type: 'tool_use', id: 'a', name: 'look', input: { at: 'sea' } };
    const results = [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'calm' }] },
      { type: 'tool_result', tool_use_id: 'b', content: 'no wind', is_error: true },
      { type: 'tool_result', tool_use_id: 'c' },
      { type: 'tool_result', tool_use_id: 'd', content: [{ type: 'tool_reference', tool_name: 'sail' }] },
    ];
    const { messages } = await forwarded({
      tools: [LOOK],
      messages: [
        user('Look.'),
        { role: 'assistant', content: [called, ...['b', 'c', 'd'].map((id) => ({ ...called, id }))] },
        user([...results, { type: 'text', text: 'So?' }]),
      ],
    });
    const [, turn, ...rest] = messages as { role: string; content: string; tool_calls: { id: string }[] }[];
    assert.deepEqual(
      turn?.tool_calls.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
    assert.deepEqual(
      rest.map(({ role, content }) => [role, content]),
      [
        ['tool', 'calm'],
        ['tool', 'Error: no wind'],
        ['tool', ''],
        ['tool', 'Tool loaded: sail'],
        ['user', 'So?'],
      ],
    );
  });

  it('200 reasoning comes as thinking with a signature, and may be sent back', async () => {
    server.answer(streamOf([chunkOf({ reasoning: 'Hm.' }), chunkOf({ content: 'Yes.' }), FINISH, USAGE]));
    const { content } = (await ask()).body(200);
    const [thinking, said] = content;
    assert.ok(thinking?.type === 'thinking');
    assert.equal(thinking.thinking, 'Hm.');
    assert.notEqual(thinking.signature ?? '', '');
    assert.deepEqual(said, { type: 'text', text: 'Yes.' });
    const redacted = { type: 'redacted_thinking', data: 'abc' };
    const history = [user('Well?'), { role: 'assistant', content: [thinking, redacted, said] }, user('Sure?')];
    const { messages } = await forwarded({ messages: history });
    assert.deepEqual((messages as object[])[1], {
      role: 'assistant',
      content: 'Yes.',
      reasoning_content: 'Hm.',
      reasoning: 'Hm.',
    });
  });

  // Spec 4.5-14
  it('200 tools reach the model as functions, without vendor-only fields', async () => {
    const vendor = { cache_control: { type: 'ephemeral' }, defer_loading: true, type: 'custom' };
    const { tools, tool_choice, parallel_tool_calls } = await forwarded({
      tools: [{ ...LOOK, ...vendor }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    const { input_schema: parameters, ...named } = LOOK;
    assert.deepEqual(tools, [{ type: 'function', function: { ...named, parameters } }]);
    assert.deepEqual([tool_choice, parallel_tool_calls], ['required', false]);
  });

  // Spec 4.5-29
  it('200 each call is one block, with its input as an object', async () => {
    const call = (index: number, id: string) =>
      chunkOf({ tool_calls: [{ index, id, type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } }] });
    server.answer(streamOf([call(0, 'a'), call(1, 'b'), chunkOf({}, { finish_reason: 'tool_calls' }), USAGE]));
    const { content, stop_reason } = (await ask({ tools: [LOOK] })).body(200);
    const block = { type: 'tool_use', name: 'look', input: { at: 'sea' } };
    assert.deepEqual(content, [
      { ...block, id: 'a' },
      { ...block, id: 'b' },
    ]);
    assert.equal(stop_reason, 'tool_use');
  });

  it('200 stop_reason is the cap, or a stop sequence, which is named', async () => {
    server.answer(cannedReply({ finishReason: 'length' }));
    assert.equal((await ask()).body(200).stop_reason, 'max_tokens');
    const end = chunkOf({}, { finish_reason: 'stop', stop_reason: 'END' });
    server.answer(streamOf([chunkOf({ content: 'One' }), end, USAGE]));
    const { stop_reason, stop_sequence } = (await ask({ stop_sequences: ['END'] })).body(200);
    assert.deepEqual([stop_reason, stop_sequence], ['stop_sequence', 'END']);
    assert.deepEqual(server.lastRequest().stop, ['END']);
  });

  it('200 vendor-only fields are accepted and not forwarded', async () => {
    const vendor = {
      top_k: 5,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      service_tier: 'auto',
      context_management: { edits: [] },
      cache_control: { type: 'ephemeral' },
    };
    const body = await forwarded({
      ...vendor,
      metadata: { user_id: 'u' },
      temperature: 0.5,
      top_p: 0.9,
      foo: { a: 1 },
    });
    for (const name of [...Object.keys(vendor), 'metadata', 'max_price', 'stop_sequences'])
      assert.ok(!(name in body), name);
    assert.deepEqual([body.temperature, body.top_p, body.foo], [0.5, 0.9, { a: 1 }]);
  });

  // Spec 4.5-21, 4.5-5
  it('200 a format in JSON becomes the response format, and the cap is lowered to what the model can write', async () => {
    const schema = { type: 'object' };
    const body = await forwarded({ output_config: { format: { type: 'json_schema', schema } }, max_tokens: 1e15 });
    assert.deepEqual((body.response_format as { json_schema: { schema: object } }).json_schema.schema, schema);
    assert.equal(body.max_tokens, 1024);
  });

  it('200 the key in x-api-key, with any version and beta; Authorization wins when both are sent', async () => {
    const { key } = await server.createAccount();
    const body = message();
    const ofVendor = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'anything-at-all', 'x-api-key': key };
    const call = (headers: Record<string, string>) =>
      server.api.call('createMessage', { body, key: null, headers: { ...ofVendor, ...headers } });
    (await call({})).body(200);
    (await call({ authorization: `Bearer ${key}`, 'x-api-key': 'sk-none' })).body(200);
    (await call({ authorization: 'Bearer sk-none' })).refusal(401, 'invalid_api_key');
    const beta = await server.api.request('POST', '/v1/messages?beta=true', { body });
    assert.equal(beta.status, 200);
    await beta.whole();
  });
});

describe('POST /v1/messages as an order', () => {
  itEndsAsOrdersDo(useServer(), 'createMessage', message, { field: 'max_price', missing: 'missing_bid' });
});
