/** A text completion as one object. This shape has no field for reasoning: it is omitted, but charged. Spec 2.9. */
import { epochSeconds } from '#base/time.ts';
import type { FinishReason } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';
import { openaiUsage } from '../common/openai-options.ts';
import type { CompletionAnswer, OrderFacts } from '../common/wire-shape.ts';

/** The complete object. */
export function renderCompletion(order: OrderFacts, answer: Answer): CompletionAnswer {
  const { text, finishReason } = answer.generation;
  return {
    ...completionHead(order),
    choices: [{ index: 0, text, finish_reason: completionFinish(finishReason), logprobs: null }],
    usage: openaiUsage(answer),
  };
}

/** The first fields of the completion and of all its chunks. */
export function completionHead({ orderId, createdAtMs, model }: OrderFacts) {
  return { id: `cmpl-${orderId}`, object: 'text_completion', created: epochSeconds(createdAtMs), model };
}

/** The finish reason. This shape has no tools, so a model that calls some has stopped. */
export function completionFinish(reason: FinishReason): FinishReason {
  return reason === 'tool_calls' ? 'stop' : reason;
}
