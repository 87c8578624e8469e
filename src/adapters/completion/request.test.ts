import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { parseCompletionRequest } from './request.ts';

const parse = (body: object) => parseCompletionRequest(validated(requestBodies.createCompletion, body), {});
const user = (content: string) => ({ messages: [{ role: 'user', content }] });

/** [what is sent, what the model gets] */
const forwarded: [string, object, object][] = [
  ['a prompt as one user message', { prompt: 'Once' }, user('Once')],
  ['a prompt in an array', { prompt: ['Once'] }, user('Once')],
  ['an empty message for no prompt', {}, user('')],
  ['an empty message for a prompt that is null', { prompt: null }, user('')],
  ['an unknown field', { prompt: 'a', foo: { a: 1 } }, { foo: { a: 1 }, ...user('a') }],
  [
    'sampling and seed',
    { prompt: 'a', temperature: 0, top_p: 1, seed: 7 },
    { temperature: 0, top_p: 1, seed: 7, ...user('a') },
  ],
  ['stop as it was sent', { prompt: 'a', stop: ['x', 'y'] }, { stop: ['x', 'y'], ...user('a') }],
  [
    'nothing of log probabilities, echo and suffix',
    { prompt: 'a', logprobs: 3, top_logprobs: 3, echo: true, suffix: 'z' },
    user('a'),
  ],
  [
    'no optional scalar that is null',
    { prompt: 'a', temperature: null, top_p: null, stop: null, n: null, best_of: null, seed: null },
    user('a'),
  ],
  ['one answer, and never best_of, which engines refuse', { prompt: 'a', n: 1, best_of: 1 }, { n: 1, ...user('a') }],
  [
    'no tools that are null',
    { prompt: 'a', tools: null, tool_choice: null, functions: null, function_call: null },
    user('a'),
  ],
  [
    'nothing about who asks, and nothing for the gateway but the cap',
    {
      ...{
        prompt: 'a',
        model: 'tide',
        stream: true,
        stream_options: {},
        user: 'u',
        safety_identifier: 's',
        metadata: {},
      },
      ...{ prompt_cache_key: 'p', store: true, price_limit: 1, price_lock: true, max_wait: 60, expires_after: 60 },
      ...{ detached: false, retention_days: 1, max_tokens: 5, max_completion_tokens: 9 },
    },
    { ...user('a'), max_tokens: 5 },
  ],
];
for (const [what, sent, reaches] of forwarded)
  test(`the model gets ${what}`, () => {
    assert.deepEqual(parse(sent).request.generation.body, reaches);
  });

/** [what is sent, the cap] */
const caps: [object, number | null][] = [
  [{}, null],
  [{ max_tokens: 5, max_completion_tokens: 9 }, 5],
  [{ max_tokens: null, max_completion_tokens: 9 }, 9],
];
for (const [sent, cap] of caps)
  test(`${JSON.stringify(sent)} caps the output at ${cap}`, () => {
    assert.equal(parse(sent).request.outputCap, cap);
  });

test('a stream says whether it ends with usage', () => {
  assert.deepEqual(parse({ stream: true }).echo, { includeUsage: false });
  assert.deepEqual(parse({ stream: true, stream_options: { include_usage: true } }).echo, { includeUsage: true });
});

test('a detached request is accepted without a stream', () => {
  assert.equal(parse({ detached: true }).request.extensions.detached, true);
});

/** [what is sent, code, param] */
const refused: [object, FaultCode, string][] = [
  [{ prompt: ['a', 'b'] }, 'invalid_request', 'prompt'],
  [{ prompt: [] }, 'invalid_request', 'prompt'],
  [{ prompt: [1, 2] }, 'invalid_request', 'prompt'],
  [{ prompt: [[1, 2]] }, 'invalid_request', 'prompt'],
  [{ prompt: 5 }, 'invalid_request', 'prompt'],
  [{ prompt: {} }, 'invalid_request', 'prompt'],
  [{ tools: [] }, 'invalid_request', 'tools'],
  [{ tool_choice: 'none' }, 'invalid_request', 'tool_choice'],
  [{ functions: [] }, 'invalid_request', 'functions'],
  [{ function_call: 'auto' }, 'invalid_request', 'function_call'],
  [{ messages: [{ role: 'user', content: 'x' }] }, 'invalid_request', 'messages'],
  [{ n: 2 }, 'invalid_request', 'n'],
  [{ best_of: 2 }, 'invalid_request', 'best_of'],
  [{ temperature: 2.1 }, 'invalid_request', 'temperature'],
  [{ top_p: -1 }, 'invalid_request', 'top_p'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'invalid_request', 'stop'],
  [{ model: 5 }, 'invalid_request', 'model'],
  [{ stream: 1 }, 'invalid_request', 'stream'],
  [{ stream_options: [] }, 'invalid_request', 'stream_options'],
  [{ detached: true, stream: true }, 'invalid_request', 'detached'],
  ...[0, -1, 1.5, 10_000_001, '5'].flatMap((cap): [object, FaultCode, string][] => [
    [{ max_tokens: cap }, 'invalid_output_cap', 'max_tokens'],
    [{ max_completion_tokens: cap }, 'invalid_output_cap', 'max_completion_tokens'],
  ]),
  [{ price_limit: -1 }, 'invalid_price_limit', 'price_limit'],
  [{ max_wait: 0 }, 'invalid_max_wait', 'max_wait'],
];
for (const [sent, code, param] of refused)
  test(`${JSON.stringify(sent)} is refused with ${code} at ${param}`, () => {
    assert.throws(
      () => parse({ prompt: 'a', ...sent }),
      (error) => error instanceof Fault && error.code === code && error.param === param && error.status === 400,
    );
  });
