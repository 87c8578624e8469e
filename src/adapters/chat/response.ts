/** A chat completion as one object. Spec 2.9. */
import { epochSeconds } from '#base/time.ts';
import { type Generation, wholeArguments } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { openaiUsage } from '../common/openai-options.ts';
import type { ChatAnswer, OrderFacts } from '../common/wire-shape.ts';
import type { ChatEcho } from './request.ts';

/** The first fields of the completion and, but for `object`, of all its chunks. */
export function chatHead({ orderId, createdAtMs, model }: OrderFacts) {
  return { id: `chatcmpl-${orderId}`, object: 'chat.completion', created: epochSeconds(createdAtMs), model };
}

/** The complete object. Without an echo, log probabilities are included when there are any. */
export function renderChatAnswer(order: OrderFacts, answer: Answer, echo: ChatEcho | null): ChatAnswer {
  const { generation } = answer;
  const logprobs = (echo?.logprobs ?? true) ? generation.logprobs : null;
  return {
    ...chatHead(order),
    choices: [
      {
        index: 0,
        message: message(generation),
        finish_reason: generation.finishReason,
        logprobs: logprobs && { content: logprobs, refusal: null },
      },
    ],
    usage: openaiUsage(answer),
  };
}

/** Content is null for a turn that only calls tools; absent parts have no key. */
function message(generation: Generation) {
  const { text, reasoning, toolCalls } = generation;
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCall) }),
  };
}

function toolCall(call: Generation['toolCalls'][number]) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: wholeArguments(call.arguments) } };
}
