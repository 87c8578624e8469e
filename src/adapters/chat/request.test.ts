import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { parseChatRequest } from './request.ts';

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const parse = (more: object = {}) =>
  parseChatRequest(validated(requestBodies.createChatCompletion, { messages: MESSAGES, ...more }), {});

/** [what is sent, what the model gets] */
const forwarded: [string, object, object][] = [
  ['an unknown field', { foo: { a: 1 }, bar: null }, { foo: { a: 1 }, bar: null }],
  ['sampling', { temperature: 2, top_p: 1, seed: 7 }, { temperature: 2, top_p: 1, seed: 7 }],
  ['zero as a value', { temperature: 0, top_p: 0 }, { temperature: 0, top_p: 0 }],
  ['stop as it was sent', { stop: 'END' }, { stop: 'END' }],
  [
    'four stop strings of 256',
    { stop: ['漢'.repeat(256), 'b', 'c', 'd'] },
    { stop: ['漢'.repeat(256), 'b', 'c', 'd'] },
  ],
  ['tools and their choice', { tools: [{ x: 1 }], tool_choice: 'auto' }, { tools: [{ x: 1 }], tool_choice: 'auto' }],
  ['a format', { response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
  ['log probabilities', { logprobs: true, top_logprobs: 3 }, { logprobs: true, top_logprobs: 3 }],
  ['one answer, and never best_of, which engines refuse', { n: 1, best_of: 1 }, { n: 1 }],
  [
    'no optional scalar that is null',
    { temperature: null, top_p: null, stop: null, n: null, best_of: null, seed: null, tools: null, logprobs: null },
    {},
  ],
  [
    'nothing about who asks, and nothing for the gateway but the cap',
    {
      ...{ model: 'tide', stream: true, stream_options: {}, user: 'u', safety_identifier: 's', metadata: { a: 'b' } },
      ...{ prompt_cache_key: 'p', store: true, price_limit: 1, price_lock: true, max_wait: 60, expires_after: 60 },
      ...{ detached: false, retention_days: 1, max_tokens: 5, max_completion_tokens: 9 },
    },
    { max_tokens: 5 },
  ],
];
for (const [what, sent, reaches] of forwarded)
  test(`the model gets ${what}`, () => {
    assert.deepEqual(parse(sent).request.generation.body, { messages: MESSAGES, ...reaches });
  });

test('forwarded values are the sent objects, not copies', () => {
  const tools = [{ type: 'function' }];
  const { body } = parse({ tools }).request.generation;
  assert.equal(body.messages, MESSAGES);
  assert.equal(body.tools, tools);
});

/** [what is sent, the cap] */
const caps: [object, number | null][] = [
  [{}, null],
  [{ max_tokens: null, max_completion_tokens: null }, null],
  [{ max_tokens: 5, max_completion_tokens: 9 }, 5],
  [{ max_tokens: null, max_completion_tokens: 9 }, 9],
  [{ max_completion_tokens: 1 }, 1],
  [{ max_tokens: 10_000_000 }, 10_000_000],
];
for (const [sent, cap] of caps)
  test(`${JSON.stringify(sent)} caps the output at ${cap}`, () => {
    assert.equal(parse(sent).request.outputCap, cap);
  });

const messages: unknown[] = [
  [{ role: 'assistant', content: null }],
  [{ role: 'user', content: [] }],
  [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  [{ role: 'assistant', tool_calls: [] }],
];
for (const list of messages)
  test(`messages ${JSON.stringify(list)} are accepted`, () => {
    assert.equal(parse({ messages: list }).request.generation.body.messages, list);
  });

test('calls are forwarded, each with its output behind it', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] };
  const output = { role: 'tool', content: 'x', tool_call_id: 'c', name: 'look' };
  const note = { role: 'system', content: 'Be brief.' };
  const { body } = parse({ messages: [call, note, output] }).request.generation;
  assert.deepEqual(body.messages, [call, output, note]);
});

test('a stream says whether it ends with usage', () => {
  assert.equal(parse({ stream: true }).echo.includeUsage, false);
  assert.equal(parse({ stream: true, stream_options: { include_usage: true } }).echo.includeUsage, true);
  assert.equal(parse({ stream: true, stream_options: null }).echo.includeUsage, false);
  assert.equal(parse({ stream: null }).request.stream, false);
});

test('the model is the name that was sent, or null for the default', () => {
  assert.equal(parse({ model: 'tide' }).request.model, 'tide');
  assert.equal(parse({ model: null }).request.model, null);
});

test('a detached request is accepted without a stream', () => {
  assert.equal(parse({ detached: true, stream: false }).request.extensions.detached, true);
});

/** [what is sent, code, param] */
const refused: [object, FaultCode, string][] = [
  [{ messages: undefined }, 'invalid_request', 'messages'],
  [{ messages: [] }, 'invalid_request', 'messages'],
  [{ messages: 'Hi' }, 'invalid_request', 'messages'],
  [{ messages: ['Hi'] }, 'invalid_request', 'messages[0]'],
  [{ messages: [null] }, 'invalid_request', 'messages[0]'],
  [{ messages: [...MESSAGES, { content: 'x' }] }, 'invalid_request', 'messages[1].role'],
  [{ messages: [{ role: '', content: 'x' }] }, 'invalid_request', 'messages[0].role'],
  [{ messages: [{ role: 5 }] }, 'invalid_request', 'messages[0].role'],
  [{ messages: [{ role: 'user', content: 5 }] }, 'invalid_request', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: {} }] }, 'invalid_request', 'messages[0].content'],
  [{ messages: [{ role: 'user', content: ['x'] }] }, 'invalid_request', 'messages[0].content'],
  [{ messages: [{ role: 'assistant', tool_calls: ['x'] }] }, 'invalid_request', 'messages[0].tool_calls[0]'],
  ...[{}, { name: 5 }].map((called): [object, FaultCode, string] => [
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: called }] }] },
    'invalid_request',
    'messages[0].tool_calls[0].function.name',
  ]),
  [
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] },
    'invalid_request',
    'messages[0].tool_calls[0].function',
  ],
  [{ model: 5 }, 'invalid_request', 'model'],
  [{ stream: 'true' }, 'invalid_request', 'stream'],
  ...[1.5, '7'].map((seed): [object, FaultCode, string] => [{ seed }, 'invalid_request', 'seed']),
  [{ stream_options: true }, 'invalid_request', 'stream_options'],
  [{ stream_options: { include_usage: 1 } }, 'invalid_request', 'stream_options.include_usage'],
  ...[0, -1, 1.5, 10_000_001, '5', true].flatMap((cap): [object, FaultCode, string][] => [
    [{ max_tokens: cap }, 'invalid_output_cap', 'max_tokens'],
    [{ max_completion_tokens: cap }, 'invalid_output_cap', 'max_completion_tokens'],
    [{ max_tokens: 5, max_completion_tokens: cap }, 'invalid_output_cap', 'max_completion_tokens'],
  ]),
  [{ temperature: 2.1 }, 'invalid_request', 'temperature'],
  [{ temperature: -0.1 }, 'invalid_request', 'temperature'],
  [{ temperature: '1' }, 'invalid_request', 'temperature'],
  [{ top_p: 1.1 }, 'invalid_request', 'top_p'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_request', 'stop'],
  [{ stop: 'x'.repeat(257) }, 'invalid_request', 'stop'],
  [{ stop: ['x'.repeat(1_000_000)] }, 'invalid_request', 'stop'],
  [{ stop: [5] }, 'invalid_request', 'stop'],
  [{ stop: {} }, 'invalid_request', 'stop'],
  [{ n: 2 }, 'invalid_request', 'n'],
  [{ n: 0 }, 'invalid_request', 'n'],
  [{ best_of: 2 }, 'invalid_request', 'best_of'],
  [{ logprobs: 'yes' }, 'invalid_request', 'logprobs'],
  [{ detached: true, stream: true }, 'invalid_request', 'detached'],
  [{ price_limit: -1 }, 'invalid_price_limit', 'price_limit'],
  [{ max_wait: 0 }, 'invalid_max_wait', 'max_wait'],
];
for (const [sent, code, param] of refused)
  test(`${JSON.stringify(sent).slice(0, 80)} is refused with ${code} at ${param}`, () => {
    assert.throws(
      () => parse(sent),
      (error) => error instanceof Fault && error.code === code && error.param === param && error.status === 400,
    );
  });
