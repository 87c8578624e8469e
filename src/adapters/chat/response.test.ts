import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tariffOf } from '#ledger/tariff.ts';
import type { Generation } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { renderChatAnswer } from './response.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_999, promptEstimate: 7 };
const SAID: Generation = {
  text: 'Hi',
  reasoning: '',
  toolCalls: [],
  parts: [{ type: 'text', length: 2 }],
  logprobs: null,
  finishReason: 'stop',
  stopSequence: null,
};

interface Completion {
  readonly choices: readonly [{ readonly message: object; readonly logprobs: unknown; readonly finish_reason: string }];
  readonly usage: Record<string, unknown>;
}

const answer = (generation: Partial<Generation>, more: Partial<Answer> = {}) =>
  cannedAnswer({ name: '', batches: [] }, { generation: { ...SAID, ...generation }, ...more });
const render = (settled: Answer, logprobs = false) =>
  renderChatAnswer(FACTS, settled, { includeUsage: false, logprobs }) as unknown as Completion;

test('a completion has these keys and no others', () => {
  assert.deepEqual(render(answer({})), {
    id: `chatcmpl-${CANNED_ORDER}`,
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'tide-70b',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop', logprobs: null },
    ],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 700 },
      x_market: {
        order_id: CANNED_ORDER,
        pricing: 'market',
        level_at_execution: 0.42,
        bid: 0.5,
        charged_usd: 0.000841463,
      },
    },
  });
});

test('a turn that only calls tools has null content and complete calls', () => {
  const toolCalls = [{ id: 'call_a', name: 'look', arguments: '{"city":"Oslo"}' }];
  const [choice] = render(answer({ text: '', toolCalls, finishReason: 'tool_calls' })).choices;
  assert.deepEqual(choice.message, {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"city":"Oslo"}' } }],
  });
  assert.equal(choice.finish_reason, 'tool_calls');
});

test('text next to tool calls is kept, a call without arguments has {}, an empty answer is an empty text', () => {
  const toolCalls = [{ id: 'call_a', name: 'look', arguments: '' }];
  assert.partialDeepStrictEqual(render(answer({ toolCalls })).choices[0].message, {
    content: 'Hi',
    tool_calls: [{ function: { arguments: '{}' } }],
  });
  assert.partialDeepStrictEqual(render(answer({ text: '' })).choices[0].message, { content: '' });
});

test('reasoning is shown as reasoning_content', () => {
  const { message } = render(answer({ reasoning: 'Hmm.' })).choices[0];
  assert.deepEqual(Object.keys(message), ['role', 'content', 'refusal', 'reasoning_content']);
});

test('log probabilities are shown when they were asked for', () => {
  const logprobs = [{ token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] }];
  const asked = render(answer({ logprobs }), true).choices[0];
  assert.deepEqual(asked.logprobs, { content: logprobs, refusal: null });
  assert.equal(render(answer({ logprobs })).choices[0].logprobs, null);
  assert.equal(render(answer({}), true).choices[0].logprobs, null);
});

test('reasoning tokens are shown when the pod counted them, also 0', () => {
  const details = (reasoningTokens: number | null) =>
    render(answer({}, { reasoningTokens })).usage.completion_tokens_details;
  assert.deepEqual(details(0), { reasoning_tokens: 0 });
  assert.equal(details(null), undefined);
});

test('counts of zero are shown as zero', () => {
  const { receipt } = answer({});
  const usage = render(
    answer({}, { receipt: { ...receipt, tokens: { uncached: 0, cached: 0, output: 0 }, charged: 0n } }),
  ).usage;
  assert.partialDeepStrictEqual(usage, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  assert.partialDeepStrictEqual(usage, { prompt_tokens_details: { cached_tokens: 0 }, x_market: { charged_usd: 0 } });
});

test('a fixed-price receipt has its three prices', () => {
  const tariff = tariffOf('fixed', { cached: '0.1', uncached: '1.25', output: '4' });
  const usage = render(answer({}, { receipt: { ...answer({}).receipt, tariff } })).usage;
  assert.partialDeepStrictEqual(usage, {
    x_market: { pricing: 'fixed', usd_per_million: { cached: 0.1, uncached: 1.25, output: 4 } },
  });
});
