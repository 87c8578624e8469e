/**
 * The headers that name an attempt in a backend's log. `x-request-id` is never the caller's: vLLM takes it for the id of
 * the generation, and two with the same id fail, or end each other when one is aborted. docs/sell/monitoring.md.
 */
import type { AttemptRequest } from '#orders/ports.ts';

/** Names and values in turn, as undici takes them. No two attempts have the same `x-request-id`. */
export function namesOf({ orderId, attempt, trace }: Pick<AttemptRequest, 'orderId' | 'attempt' | 'trace'>): string[] {
  const names = ['x-request-id', `${orderId}-${attempt}`];
  if (!trace) return names;
  if (trace.requestId !== null) names.push('x-client-request-id', trace.requestId);
  const { traceparent = null, tracestate = null } = trace.context ?? {};
  if (traceparent !== null) names.push('traceparent', traceparent);
  if (tracestate !== null) names.push('tracestate', tracestate);
  return names;
}
