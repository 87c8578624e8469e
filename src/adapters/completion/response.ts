/** A text completion as one object. Reasoning has no place in this shape; it is left out and billed. Spec 2.9. */
import type { FinishReason } from '#orders/generation.ts';
import type { Answer } from '#orders/order-port.ts';
import type { JsonObject } from '#orders/request.ts';
import { epochSeconds } from '../epoch-seconds.ts';
import { openaiUsage } from '../openai-usage.ts';
import type { OrderFacts } from '../wire-shape.ts';

/** The whole completion. */
export function renderCompletion(order: OrderFacts, answer: Answer): JsonObject {
  const { text, finishReason } = answer.generation;
  return {
    ...completionHead(order),
    choices: [{ index: 0, text, finish_reason: completionFinish(finishReason), logprobs: null }],
    usage: openaiUsage(answer),
  };
}

/** What the completion and all its chunks begin with. */
export function completionHead({ orderId, createdAtMs, model }: OrderFacts): JsonObject {
  return { id: `cmpl-${orderId}`, object: 'text_completion', created: epochSeconds(createdAtMs), model };
}

/** The finish reason; a model that calls tools here was not asked to, and has simply stopped. */
export function completionFinish(reason: FinishReason): FinishReason {
  return reason === 'tool_calls' ? 'stop' : reason;
}
