import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer, cannedReceipt } from '#testing/canned-generations.ts';
import { renderCompletion } from './response.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_999, promptEstimate: 7 };
const render = (...events: GenerationEvent[]) => renderCompletion(FACTS, cannedAnswer({ name: '', batches: [events] }));

test('a completion has these keys and no others', () => {
  assert.deepEqual(render({ type: 'text-delta', text: 'Hi' }), {
    id: `cmpl-${CANNED_ORDER}`,
    object: 'text_completion',
    created: 1_767_225_600,
    model: 'tide-70b',
    choices: [{ index: 0, text: 'Hi', finish_reason: 'stop', logprobs: null }],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 700 },
      x_market: cannedReceipt,
    },
  });
});

test('reasoning and tool calls, which the shape does not have, are omitted', () => {
  const { choices } = render(
    { type: 'reasoning-delta', text: 'Hmm' },
    { type: 'tool-call', index: 0, id: 'call_a', name: 'look' },
    { type: 'finish', reason: 'tool_calls', stopSequence: null },
  );
  assert.deepEqual(choices, [{ index: 0, text: '', finish_reason: 'stop', logprobs: null }]);
});

for (const reason of ['stop', 'length', 'content_filter'] as const)
  test(`an answer that ended by ${reason} has that finish reason`, () => {
    const { choices } = render({ type: 'finish', reason, stopSequence: null });
    assert.partialDeepStrictEqual(choices, [{ finish_reason: reason }]);
  });
