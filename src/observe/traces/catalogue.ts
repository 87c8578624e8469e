/**
 * Every attribute of spans that is exported, by name: docs/sell/monitoring.md names them, and leads here for their
 * meanings. What a caller writes is in none of them: values are ids that the gateway made, numbers, and words of the
 * configuration or of ours.
 */

/** The attributes, and the spans that may have them. */
export const attributeCatalogue = {
  'http.request.method': { on: 'request', what: 'or `_OTHER`' },
  'http.route': { on: 'request', what: 'as in `openapi.yaml`; missing for an unknown address' },
  'http.response.status_code': { on: 'request', what: 'missing if the caller left' },
  'error.type': {
    on: 'request, order, queue, chat',
    what: 'the error code, or why the order ended; of an attempt `failed`, `full`, `refused` or `aborted`',
  },
  'sluice.order.id': { on: 'all', what: 'the order' },
  'sluice.order.model': { on: 'request, order', what: 'its model' },
  'sluice.order.status': { on: 'request, order, settlement', what: '`done`, `error`, `canceled` or `expired`' },
  'sluice.order.bid': { on: 'request, order, queue', what: 'USD per 1M input tokens at the reference mix' },
  'sluice.order.level': {
    on: 'request, order, admission',
    what: '`level_at_execution` of the receipt, in the same unit',
  },
  'sluice.order.charged_usd': { on: 'request, order, settlement', what: 'what was debited' },
  'sluice.batch.id': { on: 'order', what: 'the batch of a line' },
  'sluice.pod': { on: 'admission, chat', what: 'the pod' },
  'sluice.attempt': { on: 'chat', what: 'counted from 1' },
  'gen_ai.operation.name': { on: 'chat', what: 'always `chat`' },
  'gen_ai.provider.name': { on: 'chat', what: 'always `openai`, for the protocol' },
  'gen_ai.request.model': { on: 'chat', what: 'the model' },
  'gen_ai.request.max_tokens': { on: 'chat', what: 'the output cap' },
  'gen_ai.response.finish_reasons': { on: 'chat', what: 'why the model stopped' },
  'gen_ai.response.time_to_first_chunk': { on: 'chat', what: 'seconds to the first output' },
  'gen_ai.usage.input_tokens': { on: 'chat', what: 'as the pod reported them, cached included' },
  'gen_ai.usage.cache_read.input_tokens': { on: 'chat', what: 'the cached ones' },
  'gen_ai.usage.output_tokens': { on: 'chat', what: 'as the pod reported them' },
} as const satisfies Record<string, { readonly on: string; readonly what: string }>;

/** Attributes of a span; undefined for those that it does not have. */
export type SpanAttributes = {
  readonly [Name in keyof typeof attributeCatalogue]?: string | number | string[] | undefined;
};
