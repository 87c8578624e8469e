/** A response as one object, with every key of the reference. Spec 2.9, 4.4. */
import type { Fault } from '#base/fault.ts';
import { epochSeconds } from '#base/time.ts';
import { wireReceipt } from '#ledger/receipt.ts';
import type { JsonObject } from '#orders/request.ts';
import type { Answer } from '#results/result.ts';
import type { OrderFacts, ResponseAnswer, ResponseBody } from '../common/wire-shape.ts';
import { incompleteReason, outputItems } from './output-items.ts';
import type { KeptTool } from './tools.ts';

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

/** The echo of a request without options, and of an answer that is collected later. */
export const defaultEcho = {
  instructions: null,
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
  max_output_tokens: null,
  max_tool_calls: null,
  previous_response_id: null,
  safety_identifier: null,
  prompt_cache_key: null,
  user: null,
  prompt: null,
  conversation: null,
  prompt_cache_retention: null,
  moderation: null,
  access_programs: null,
  prompt_cache_options: null,
  prompt_cache_diagnostics: null,
  image: null,
  tool_usage: null,
} satisfies Partial<ResponseAnswer>;

/** The parts of a response object that come from the request. */
export type ResponseEcho = Pick<ResponseAnswer, keyof typeof defaultEcho>;

/** Repeated as they were sent. Other fields are dropped or have no effect here. */
const AS_SENT = [
  ...['instructions', 'tool_choice', 'temperature', 'top_p', 'parallel_tool_calls', 'store', 'metadata'],
  ...['max_output_tokens', 'user', 'background'],
];

/** The echo of a validated body with the kept tools `tools`; dropped tools are not repeated. */
export function echoOf(body: ResponseBody, tools: readonly KeptTool[]): ResponseEcho {
  const fields: JsonObject = body;
  const sent = AS_SENT.filter((name) => (fields[name] ?? null) !== null);
  return {
    ...defaultEcho,
    ...Object.fromEntries(sent.map((name) => [name, fields[name]])),
    tools,
    text: textEcho(body.text),
    reasoning: reasoningEcho(body.reasoning),
  };
}

function textEcho(text: ResponseBody['text']): ResponseEcho['text'] {
  const { format = null, verbosity = null } = text ?? {};
  return { format: format ?? { type: 'text' }, ...(verbosity === null ? {} : { verbosity }) };
}

function reasoningEcho(reasoning: ResponseBody['reasoning']): ResponseEcho['reasoning'] {
  const { effort = null, summary = null } = reasoning ?? {};
  return { effort, summary };
}
