import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationEvent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { CANNED_ORDER, cannedAnswer, cannedReceipt } from '#testing/canned-generations.ts';
import { parseResponsesRequest } from './request.ts';
import { renderResponse } from './response.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_999, promptEstimate: 7 };
const SAYS_HI: GenerationEvent = { type: 'text-delta', text: 'Hi' };

interface Item {
  readonly id: string;
  readonly status: string;
}

const answer = (events: GenerationEvent[], more: Partial<Answer> = {}) =>
  cannedAnswer({ name: '', batches: [events] }, more);
const render = (sent: object, events: GenerationEvent[] = [SAYS_HI]) =>
  renderResponse(FACTS, answer(events), parseResponsesRequest({ input: 'Hi', ...sent }, {}).echo);
const output = (...events: GenerationEvent[]) => render({}, events).output as unknown as Item[];
const call = (index: number, id: string, text: string): GenerationEvent[] => [
  { type: 'tool-call', index, id, name: 'look' },
  ...(text === '' ? [] : [{ type: 'tool-arguments-delta', index, fragment: text } as const]),
];

const MESSAGE = {
  id: `msg_${CANNED_ORDER}`,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
};

test('a response has every key of the reference and no others', () => {
  const nulls = [
    ...['error', 'incomplete_details', 'instructions', 'max_output_tokens', 'max_tool_calls', 'previous_response_id'],
    ...['safety_identifier', 'prompt_cache_key', 'user', 'prompt', 'conversation', 'prompt_cache_retention'],
    ...['moderation', 'access_programs', 'prompt_cache_options', 'prompt_cache_diagnostics', 'image', 'tool_usage'],
  ];
  assert.deepEqual(render({}), {
    ...Object.fromEntries(nulls.map((name) => [name, null])),
    id: `resp_${CANNED_ORDER}`,
    object: 'response',
    created_at: 1_767_225_600,
    completed_at: 1_767_225_605,
    status: 'completed',
    model: 'tide-70b',
    output: [MESSAGE],
    tools: [],
    tool_choice: 'auto',
    text: { format: { type: 'text' } },
    reasoning: { effort: null, summary: null },
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    parallel_tool_calls: true,
    truncation: 'disabled',
    background: false,
    service_tier: 'default',
    store: true,
    metadata: {},
    usage: {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 700, cache_write_tokens: 0 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1050,
      x_market: cannedReceipt,
    },
  });
});

/** Fields that are repeated as sent. */
const echoes: Record<string, unknown>[] = [
  { instructions: 'Be brief.' },
  { instructions: [{ role: 'system', content: 'Be brief.' }] },
  { temperature: 0, top_p: 0.5 },
  { max_output_tokens: 5 },
  { parallel_tool_calls: false },
  { store: false },
  { metadata: { a: 'b' } },
  { user: 'u' },
  { tool_choice: { type: 'web_search' } },
  { text: { format: { type: 'json_object' }, verbosity: 'low' } },
  { reasoning: { effort: 'low', summary: 'auto' } },
];
for (const sent of echoes)
  test(`${JSON.stringify(sent)} is repeated`, () => {
    assert.partialDeepStrictEqual(render(sent), sent);
  });

test('dropped tools are not repeated, others are with all their keys', () => {
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'look' }];
  assert.deepEqual(render({ tools }).tools, [
    { name: 'look', description: null, parameters: null, strict: null, type: 'function' },
  ]);
});

test('a verbosity alone does not lose the format, nor an effort the summary', () => {
  const { text, reasoning } = render({ text: { verbosity: 'low' }, reasoning: { effort: 'low' } });
  assert.deepEqual(text, { format: { type: 'text' }, verbosity: 'low' });
  assert.deepEqual(reasoning, { effort: 'low', summary: null });
});

test('fields without effect are not repeated', () => {
  const sent = {
    service_tier: 'flex',
    max_tool_calls: 3,
    top_logprobs: 5,
    prompt_cache_key: 'k',
    safety_identifier: 's',
  };
  assert.deepEqual(render(sent), render({}));
});

test('an answer collected later repeats nothing', () => {
  assert.deepEqual(renderResponse(FACTS, answer([SAYS_HI]), null), render({}));
});

test('reasoning tokens are shown when the pod counted them', () => {
  const { usage } = renderResponse(FACTS, answer([SAYS_HI], { reasoningTokens: 9 }), null);
  assert.partialDeepStrictEqual(usage, { output_tokens_details: { reasoning_tokens: 9 } });
});

test('reasoning, message and calls are items in the order of the model', () => {
  const items = output({ type: 'reasoning-delta', text: 'Hmm' }, SAYS_HI, ...call(0, 'call_a', '{"a":1}'));
  assert.deepEqual(items, [
    {
      id: `rs_${CANNED_ORDER}`,
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hmm' }],
      status: 'completed',
    },
    MESSAGE,
    {
      id: `fc_${CANNED_ORDER}_0`,
      type: 'function_call',
      status: 'completed',
      call_id: 'call_a',
      name: 'look',
      arguments: '{"a":1}',
    },
  ]);
});

test('a second message has a number in its id', () => {
  const items = output(SAYS_HI, { type: 'reasoning-delta', text: 'Hmm' }, SAYS_HI);
  assert.deepEqual(
    items.map(({ id }) => id),
    [`msg_${CANNED_ORDER}`, `rs_${CANNED_ORDER}`, `msg_${CANNED_ORDER}_1`],
  );
});

test('a call without arguments has an empty object', () => {
  assert.partialDeepStrictEqual(output(...call(0, 'call_a', '')), [{ arguments: '{}' }]);
});

// Spec 4.4-52
test('an empty answer has no items', () => {
  assert.deepEqual(output(), []);
});

/** [finish, status, details] */
const ends = [
  ['stop', 'completed', null],
  ['tool_calls', 'completed', null],
  ['length', 'incomplete', { reason: 'max_output_tokens' }],
  ['content_filter', 'incomplete', { reason: 'content_filter' }],
] as const;
for (const [reason, status, details] of ends)
  test(`an answer that ended by ${reason} is ${status}`, () => {
    const response = render({}, [SAYS_HI, { type: 'finish', reason, stopSequence: null }]);
    assert.deepEqual([response.status, response.incomplete_details], [status, details]);
    assert.equal(response.completed_at === null, status === 'incomplete');
    assert.partialDeepStrictEqual(response.output, [{ status }]);
  });

test('when the model is cut off, the last item and every unfinished call are incomplete', () => {
  const cut: GenerationEvent = { type: 'finish', reason: 'length', stopSequence: null };
  const items = output(SAYS_HI, ...call(0, 'a', '{"x":1}'), ...call(1, 'b', '{"x'), ...call(2, 'c', '{}'), cut);
  assert.deepEqual(
    items.map(({ status }) => status),
    ['completed', 'completed', 'incomplete', 'incomplete'],
  );
});
