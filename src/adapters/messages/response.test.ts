import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CANNED_ORDER, cannedAnswer, cannedReceipt } from '#testing/canned-generations.ts';
import { renderMessage } from './response.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 0, promptEstimate: 7 };
const answer = cannedAnswer({ name: '', batches: [] });
const render = (generation: Partial<typeof answer.generation>) =>
  renderMessage(FACTS, { ...answer, generation: { ...answer.generation, ...generation } });

test('a message has every key of the shape, and its input tokens are those not in the cache', () => {
  assert.deepEqual(render({ text: 'Hi', parts: [{ type: 'text', length: 2 }] }), {
    id: `msg_${CANNED_ORDER}`,
    type: 'message',
    role: 'assistant',
    model: 'tide-70b',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 300,
      output_tokens: 50,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 700,
      x_market: cannedReceipt,
    },
  });
});

test('blocks come in the order in which the model began them', () => {
  const { content } = render({
    text: 'So.',
    reasoning: 'Hm',
    toolCalls: [
      { id: 'a', name: 'look', arguments: '{"city":"Oslo"}' },
      { id: 'b', name: 'now', arguments: '' },
    ],
    parts: [
      { type: 'reasoning', length: 2 },
      { type: 'tool-call', index: 0 },
      { type: 'text', length: 3 },
      { type: 'tool-call', index: 1 },
    ],
  }) as unknown as { content: { signature?: string }[] };
  const signature = content[0]?.signature;
  assert.ok(typeof signature === 'string' && signature !== '');
  assert.deepEqual(content, [
    { type: 'thinking', thinking: 'Hm', signature },
    { type: 'tool_use', id: 'a', name: 'look', input: { city: 'Oslo' } },
    { type: 'text', text: 'So.' },
    { type: 'tool_use', id: 'b', name: 'now', input: {} },
  ]);
});

test('an empty answer has no content', () => {
  assert.deepEqual(render({}).content, []);
});

for (const [finishReason, stopSequence, expected] of [
  ['stop', null, ['end_turn', null]],
  ['stop', 'END', ['stop_sequence', 'END']],
  ['length', null, ['max_tokens', null]],
  ['length', 'END', ['max_tokens', null]],
  ['tool_calls', null, ['tool_use', null]],
  ['content_filter', null, ['end_turn', null]],
] as const)
  test(`a generation that ended with ${finishReason} at ${stopSequence} stops with ${expected}`, () => {
    const message = render({ finishReason, stopSequence });
    assert.deepEqual([message.stop_reason, message.stop_sequence], expected);
  });
