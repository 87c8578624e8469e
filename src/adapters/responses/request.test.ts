import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { parseResponsesRequest } from './request.ts';

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const parse = (more: object = {}, headers = {}) =>
  parseResponsesRequest(validated(requestBodies.createResponse, { input: 'Hi', ...more }), headers);
const schema = { type: 'object', properties: { a: { type: 'string' } } };

/** [what, what is sent, what the model gets besides the message] */
const forwarded: [string, object, object][] = [
  ['an unknown field', { foo: { a: 1 }, bar: null }, { foo: { a: 1 }, bar: null }],
  ['sampling', { temperature: 0, top_p: 1 }, { temperature: 0, top_p: 1 }],
  ['no sampling that is null', { temperature: null, top_p: null }, {}],
  ['nothing of a text without a format', { text: {} }, {}],
  ['nothing of plain text and its verbosity', { text: { format: { type: 'text' }, verbosity: 'low' } }, {}],
  ['a JSON format', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
  [
    'a schema, one level deeper',
    { text: { format: { type: 'json_schema', name: 'n', schema, strict: true, description: 'd' } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, description: 'd', strict: true } } },
  ],
  [
    'a schema without what was null',
    { text: { format: { type: 'json_schema', name: 'n', schema, strict: null, description: null } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
  ],
  [
    'the effort of reasoning, not its summary',
    { reasoning: { effort: 'low', summary: 'auto' } },
    { reasoning_effort: 'low' },
  ],
  ['nothing of reasoning without an effort', { reasoning: { effort: null, summary: 'auto' } }, {}],
  [
    'no choice of tools and no parallel calls without tools',
    { tool_choice: 'required', parallel_tool_calls: true },
    {},
  ],
  [
    'nothing that tunes the vendor’s own service',
    {
      ...{
        stream_options: {},
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'k',
        safety_identifier: 's',
      },
      ...{ client_metadata: {}, service_tier: 'auto', max_tool_calls: 3, context_management: [], access_programs: [] },
      ...{ top_logprobs: 3, prompt_cache_options: {} },
    },
    {},
  ],
  [
    'nothing about who asks, and nothing for the gateway but the cap',
    {
      ...{ model: 'tide', stream: true, user: 'u', metadata: { a: 'b' }, store: true, max_output_tokens: 5 },
      ...{ price_limit: 1, max_price: 1, price_lock: true, max_wait: 60, expires_after: 60, retention_days: 1 },
      ...{ background: false, truncation: 'disabled', detached: false },
    },
    { max_tokens: 5 },
  ],
  [
    'nothing that is null where this shape has no state',
    {
      previous_response_id: null,
      conversation: null,
      prompt: null,
      truncation: null,
      background: null,
      detached: null,
    },
    {},
  ],
  [
    'no word of chat that would get around the cap or the input',
    { max_tokens: 99, max_completion_tokens: 99, n: 5, best_of: 5, messages: [], functions: [], function_call: 'auto' },
    {},
  ],
];
// Spec 4.4-16, 4.4-19, 4.4-20, 4.4-24, 4.4-33
for (const [what, sent, reaches] of forwarded)
  test(`the model gets ${what}`, () => {
    assert.deepEqual(parse(sent).request.generation.body, { ...reaches, messages: MESSAGES });
  });

test('the gateway’s own fields are read', () => {
  const { request } = parse({ model: 'tide', stream: true, max_output_tokens: 5, retention_days: 0 });
  assert.deepEqual([request.kind, request.model, request.stream, request.outputCap], ['responses', 'tide', true, 5]);
  assert.equal(request.extensions.retentionDays, 0);
});

test('a cap of any size is read, since the listing clamps it', () => {
  for (const cap of [10_000_001, Number.MAX_SAFE_INTEGER])
    assert.equal(parse({ max_output_tokens: cap }).request.outputCap, cap);
});

// Spec 4.4-27, 4.4-28
test('store asks the vendor for state: it does not change the storage of the account', () => {
  assert.equal(parse({ store: false }).request.extensions.store, null);
  assert.equal(parse({ store: true }).request.extensions.store, null);
});

// Spec 4.4-37, 4.4-39, 4.4-40, 4.4-41
test('both names of the price are read, the shape’s own takes precedence', () => {
  const price = (more: object, headers = {}) => parse(more, headers).request.extensions.limit;
  assert.equal(price({ price_limit: 2, max_price: 3 }), 2_000_000_000);
  assert.equal(price({ max_price: 3 }), 3_000_000_000);
  assert.equal(price({}, { 'x-max-price': '4' }), 4_000_000_000);
  assert.equal(price({}, { 'x-price-limit': '5', 'x-max-price': '4' }), 5_000_000_000);
  assert.equal(price({ max_price: 3 }, { 'x-price-limit': '5' }), 3_000_000_000);
});

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 'v']));
test('metadata may have 16 pairs, keys of 64 and values of 512 characters', () => {
  parse({ metadata: { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) } });
  parse({ metadata: { ['🌊'.repeat(64)]: '🌊'.repeat(512) } });
});

/** [what is sent, code, param] */
const refused: [object, FaultCode, string][] = [
  [{ previous_response_id: 'resp_1' }, 'invalid_request', 'previous_response_id'],
  [{ conversation: 'conv_1' }, 'invalid_request', 'conversation'],
  [{ prompt: { id: 'pmpt_1' } }, 'invalid_request', 'prompt'],
  [{ background: 'yes' }, 'invalid_request', 'background'],
  [{ truncation: 'auto' }, 'invalid_request', 'truncation'],
  [{ truncation: true }, 'invalid_request', 'truncation'],
  [{ detached: true }, 'invalid_request', 'detached'],
  [{ model: 5 }, 'invalid_request', 'model'],
  [{ stream: 'yes' }, 'invalid_request', 'stream'],
  [{ user: 5 }, 'invalid_request', 'user'],
  [{ store: 'yes' }, 'invalid_request', 'store'],
  [{ temperature: 2.1 }, 'invalid_request', 'temperature'],
  [{ top_p: 1.1 }, 'invalid_request', 'top_p'],
  [{ parallel_tool_calls: 'yes' }, 'invalid_request', 'parallel_tool_calls'],
  [{ metadata: pairs(17) }, 'invalid_request', 'metadata'],
  [{ metadata: { ['k'.repeat(65)]: 'v' } }, 'invalid_request', 'metadata'],
  [{ metadata: { k: 'v'.repeat(513) } }, 'invalid_request', 'metadata.k'],
  [{ metadata: { k: 5 } }, 'invalid_request', 'metadata.k'],
  [{ metadata: [] }, 'invalid_request', 'metadata'],
  [{ text: 'plain' }, 'invalid_request', 'text'],
  [{ text: { format: 'json' } }, 'invalid_request', 'text.format'],
  [{ text: { format: { type: 'grammar' } } }, 'invalid_request', 'text.format.type'],
  [{ text: { format: { type: 'json_schema', schema } } }, 'invalid_request', 'text.format.name'],
  [{ text: { format: { type: 'json_schema', name: 'n' } } }, 'invalid_request', 'text.format.schema'],
  [{ reasoning: 'low' }, 'invalid_request', 'reasoning'],
  [{ reasoning: { effort: 5 } }, 'invalid_request', 'reasoning.effort'],
  ...[0, -1, 1.5, '5'].map((cap): [object, FaultCode, string] => [
    { max_output_tokens: cap },
    'invalid_output_cap',
    'max_output_tokens',
  ]),
  [{ price_limit: -1 }, 'invalid_price_limit', 'price_limit'],
  [{ max_price: 'cheap' }, 'invalid_price_limit', 'max_price'],
  [{ max_wait: 0 }, 'invalid_max_wait', 'max_wait'],
];
for (const [sent, code, param] of refused)
  test(`${JSON.stringify(sent).slice(0, 80)} is refused with ${code} at ${param}`, () => {
    assert.throws(
      () => parse(sent),
      (error) => error instanceof Fault && error.code === code && error.param === param && error.status === 400,
    );
  });
