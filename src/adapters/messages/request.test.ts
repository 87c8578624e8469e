import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault, type FaultCode } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { parseCountRequest, parseMessagesRequest } from './request.ts';

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const parse = (more: object = {}, headers: Record<string, string> = {}) =>
  parseMessagesRequest(validated(requestBodies.createMessage, { messages: MESSAGES, max_tokens: 16, ...more }), headers)
    .request;
const parseCount = (body: object) => parseCountRequest(validated(requestBodies.countMessageTokens, body));

/** [what is sent, what the model gets] */
const forwarded: [string, object, object][] = [
  ['an unknown field', { foo: { a: 1 }, bar: null }, { foo: { a: 1 }, bar: null }],
  ['sampling, whatever its bounds', { temperature: 1.5, top_p: 0 }, { temperature: 1.5, top_p: 0 }],
  ['no sampling that is null', { temperature: null, top_p: null }, {}],
  ['stop sequences as stop', { stop_sequences: ['END', '漢'.repeat(256)] }, { stop: ['END', '漢'.repeat(256)] }],
  ['no empty list of stop sequences', { stop_sequences: [] }, {}],
  [
    'a schema as a response format',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } } },
  ],
  [
    'a schema under its older name',
    { output_config: { format: null }, output_format: { type: 'json_schema', schema: { type: 'array' } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'array' } } } },
  ],
  [
    'a schema under its newer name before one under the older',
    {
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      output_format: { type: 'json_schema', schema: { type: 'array' } },
    },
    { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } } },
  ],
  ['no format under an older name that is null', { output_format: null }, {}],
  ['no effort before a listing is known that has it', { output_config: { effort: 'high', format: null } }, {}],
  [
    'nothing that is for the vendor’s own service',
    {
      ...{ top_k: 5, thinking: { type: 'enabled', budget_tokens: 9 }, context_management: {}, cache_control: {} },
      ...{ service_tier: 'auto', container: 'c', diagnostics: {}, speed: 'fast', inference_geo: 'eu', mcp_servers: [] },
      ...{ user_profile_id: 'u', workspace_id: 'w' },
    },
    {},
  ],
  [
    'nothing about who asks, and nothing for the gateway',
    {
      ...{ model: 'tide', stream: true, metadata: { user_id: 'u' }, user: 'u', safety_identifier: 's' },
      ...{ max_price: 1, price_limit: 1, price_lock: true, max_wait: 60, expires_after: 60, detached: false },
      ...{ store: true, retention_days: 1, prompt_cache_key: 'k' },
    },
    {},
  ],
  ['nothing in chat’s words that would get around the cap', { max_completion_tokens: 9, n: 5, best_of: 5 }, {}],
];
// Spec 4.5-15
for (const [what, sent, reaches] of forwarded)
  test(`the model gets ${what}`, () => {
    assert.deepEqual(parse(sent).generation.body, { messages: MESSAGES, max_tokens: 16, ...reaches });
  });

test('the cap, the model and stream are read', () => {
  const { model, stream, outputCap } = parse({ model: 'tide', stream: true, max_tokens: 10_000_000 });
  assert.deepEqual([model, stream, outputCap], ['tide', true, 10_000_000]);
});

test('the effort is separate from the body, because the listing decides about it', () => {
  assert.equal(parse({ output_config: { effort: 'high' } }).generation.reasoningEffort, 'high');
  assert.ok(!('reasoningEffort' in parse().generation));
});

test('a cap of any size is read, since the listing clamps it', () => {
  for (const cap of [10_000_001, Number.MAX_SAFE_INTEGER]) assert.equal(parse({ max_tokens: cap }).outputCap, cap);
});

test('the shape’s own name of the price takes precedence, in the body and in headers', () => {
  const limit = (more: object, headers = {}) => parse(more, headers).extensions.limit;
  assert.equal(limit({ max_price: 1, price_limit: 2 }), 1e9);
  assert.equal(limit({ price_limit: 2 }), 2e9);
  assert.equal(limit({}, { 'x-max-price': '3', 'x-price-limit': '4' }), 3e9);
  assert.equal(limit({}, { 'x-price-limit': '4' }), 4e9);
  assert.equal(limit({ price_limit: 2 }, { 'x-max-price': '3' }), 2e9);
});

const refusals: [string, FaultCode, string, object][] = [
  ['no max_tokens', 'invalid_request', 'max_tokens', { max_tokens: undefined }],
  ['max_tokens null', 'invalid_request', 'max_tokens', { max_tokens: null }],
  ['max_tokens 0', 'invalid_output_cap', 'max_tokens', { max_tokens: 0 }],
  ['max_tokens 1.5', 'invalid_output_cap', 'max_tokens', { max_tokens: 1.5 }],
  ['max_tokens as text', 'invalid_output_cap', 'max_tokens', { max_tokens: '5' }],
  ['no messages', 'invalid_request', 'messages', { messages: [] }],
  ['a temperature that is text', 'invalid_request', 'temperature', { temperature: 'hot' }],
  ['a top_p that is a list', 'invalid_request', 'top_p', { top_p: [1] }],
  ['five stop sequences', 'invalid_request', 'stop_sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }],
  ['a long stop sequence', 'invalid_request', 'stop_sequences[0]', { stop_sequences: ['x'.repeat(257)] }],
  ['a stop sequence outside a list', 'invalid_request', 'stop_sequences', { stop_sequences: 'END' }],
  ['a stream that is text', 'invalid_request', 'stream', { stream: 'yes' }],
  ['a user that is a number', 'invalid_request', 'metadata.user_id', { metadata: { user_id: 5 } }],
  ['servers of tools', 'invalid_request', 'mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://x' }] }],
  ['servers that are no list', 'invalid_request', 'mcp_servers', { mcp_servers: {} }],
  ['a detached message', 'invalid_request', 'detached', { detached: true }],
  ['a format nobody knows', 'invalid_request', 'output_config.format', { output_config: { format: { type: 'xml' } } }],
  [
    'an older format nobody knows',
    'invalid_request',
    'output_format.type',
    { output_format: { type: 'x', schema: {} } },
  ],
  [
    'an older format without a schema',
    'invalid_request',
    'output_format.schema',
    { output_format: { type: 'json_schema' } },
  ],
  [
    'a format without a schema',
    'invalid_request',
    'output_config.format',
    { output_config: { format: { type: 'json_schema' } } },
  ],
  ['an effort that is a number', 'invalid_request', 'output_config.effort', { output_config: { effort: 3 } }],
  ['a negative price', 'invalid_price_limit', 'max_price', { max_price: -1 }],
  ['a price under the common name', 'invalid_price_limit', 'price_limit', { max_price: 1, price_limit: 'x' }],
  ['a wait of nothing', 'invalid_max_wait', 'max_wait', { max_wait: 0 }],
];
for (const [what, code, param, sent] of refusals)
  test(`${what} is refused with ${code} naming ${param}`, () => {
    assert.throws(
      () => parse(sent),
      (error) => error instanceof Fault && error.code === code && error.status === 400 && error.param === param,
    );
  });

test('counting needs no cap and no price, and refuses what a message is refused for', () => {
  const { model, generation } = parseCount({ model: 'tide', messages: MESSAGES });
  assert.equal(model, 'tide');
  assert.deepEqual(generation.body.messages, MESSAGES);
  for (const wrong of [{ max_price: 'x' }, { stream: 5 }, { stop_sequences: 'END' }, { detached: true }]) {
    assert.throws(() => parseCount({ messages: MESSAGES, ...wrong }), { param: Object.keys(wrong)[0], status: 400 });
  }
});

test('counting gives the estimate of message_start', () => {
  const body = { system: 'Be brief.', messages: MESSAGES, tools: [{ name: 'look', input_schema: { type: 'object' } }] };
  const { promptEstimate } = parseCount(body).generation;
  assert.equal(promptEstimate, parse(body).generation.promptEstimate);
});

/** Nearly valid bodies: turns, blocks and tools with arbitrary values in some places. */
const anything = fc.jsonValue({ maxDepth: 2 });
const nearly = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: anything });
const text = nearly(fc.string());
const textBlock = fc.record({ type: fc.constant('text'), text });
const result = fc.record(
  { type: fc.constant('tool_result'), tool_use_id: text, content: nearly(fc.array(textBlock)), is_error: anything },
  { requiredKeys: ['type', 'tool_use_id'] },
);
const thinking = fc.record({ type: fc.constant('thinking'), thinking: text, signature: text });
const input = nearly(fc.dictionary(fc.string(), anything));
const call = fc.record({ type: fc.constant('tool_use'), id: text, name: text, input });
const turnOf = (role: string, ...blocks: fc.Arbitrary<unknown>[]) =>
  fc.record({
    role: nearly(fc.constant(role)),
    content: fc.oneof(text, fc.array(nearly(fc.oneof(textBlock, ...blocks)), { maxLength: 4 })),
  });
const turn = fc.oneof(turnOf('user', result), turnOf('assistant', thinking, call), turnOf('system'));
const tool = fc.record(
  { name: nearly(fc.constant('look')), description: text, input_schema: nearly(fc.object()) },
  { requiredKeys: ['name'] },
);
const bodies = fc.record(
  {
    messages: nearly(fc.array(turn, { minLength: 1, maxLength: 3 })),
    system: fc.oneof(text, nearly(fc.array(textBlock, { maxLength: 2 }))),
    tools: nearly(fc.array(tool, { maxLength: 2 })),
    tool_choice: nearly(fc.record({ type: fc.constantFrom('auto', 'any', 'tool', 'none'), name: fc.constant('look') })),
    output_config: nearly(fc.record({ effort: text })),
  },
  { requiredKeys: ['messages'] },
);

test('whatever turns, blocks and tools contain, a body is accepted or refused with 400, and counted alike', () => {
  let taken = 0;
  fc.assert(
    fc.property(bodies, (sent) => {
      try {
        const { generation } = parse(sent);
        assert.deepEqual(parseCount(sent).generation.promptEstimate, generation.promptEstimate);
        for (const message of generation.body.messages as { role: string }[])
          assert.ok(['system', 'user', 'assistant', 'tool'].includes(message.role));
        taken++;
      } catch (error) {
        assert.ok(error instanceof Fault && error.status === 400, String(error));
      }
    }),
    { seed: 1, numRuns: 1000 },
  );
  assert.ok(taken > 100, `only ${taken} bodies were good`);
});
