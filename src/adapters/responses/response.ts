/** A response as one object, with every key of the reference. Spec 2.9, 4.4. */
import type { Fault } from '#base/fault.ts';
import { epochSeconds } from '#base/time.ts';
import { wireReceipt } from '#ledger/receipt.ts';
import type { Answer } from '#results/result.ts';
import type { OrderFacts, ResponseAnswer } from '../common/wire-shape.ts';
import { defaultEcho, type ResponseEcho } from './echo.ts';
import { incompleteReason, outputItems } from './output-items.ts';

/** The complete response. */
export function renderResponse(order: OrderFacts, answer: Answer, echo: ResponseEcho | null): ResponseAnswer {
  return endedResponse(order, answer, {
    echo: echo ?? defaultEcho,
    output: outputItems(order.orderId, answer.generation),
  });
}

/** The response of an answer whose output items are rendered already. */
export function endedResponse(
  order: OrderFacts,
  answer: Answer,
  { echo, output }: { echo: ResponseEcho; output: ResponseAnswer['output'] },
): ResponseAnswer {
  const reason = incompleteReason(answer.generation);
  return responseObject(order, echo, {
    status: reason === null ? 'completed' : 'incomplete',
    completed_at: reason === null ? epochSeconds(answer.finishedAtMs) : null,
    incomplete_details: reason && { reason },
    output,
    usage: responseUsage(answer),
  });
}

/** A response at any time: keys that are not in `now` have no value yet. */
export function responseObject(order: OrderFacts, echo: ResponseEcho, now: Partial<ResponseAnswer>): ResponseAnswer {
  return {
    id: `resp_${order.orderId}`,
    object: 'response',
    created_at: epochSeconds(order.createdAtMs),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: order.model,
    output: [],
    usage: null,
    ...echo,
    ...now,
  };
}

/** Prompt tokens include the cached ones here. Counts are never null, so unknown reasoning tokens are 0. */
function responseUsage({ receipt, reasoningTokens }: Answer) {
  const { uncached, cached, output } = receipt.tokens;
  return {
    input_tokens: uncached + cached,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: uncached + cached + output,
    x_market: wireReceipt(receipt),
  };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_prompt',
  402: 'insufficient_quota',
  408: 'order_expired',
  409: 'order_canceled',
  429: 'rate_limit_exceeded',
};

/** The `error` of a failed response. Clients of this shape decide by `code` whether to retry. Spec 6.3. */
export function responseFailure({ status, message }: Fault) {
  return { code: CODES[status] ?? 'server_error', message };
}
