/**
 * The two error bodies: the Messages envelope on the Messages routes, OpenAI's on all others. A body is the same as a
 * response and as an event of an open stream. Spec 7. Also the text of server-sent events, and the body of a 202.
 */
import { type Fault, publicCode } from '#base/fault.ts';
import type { LaxJson } from '#base/sent-json.ts';
import type { components } from '#generated/types.ts';
import type { AcceptedOrder } from '#orders/order-port.ts';

/** The body of a fault outside the Messages routes. `param`: the field or header that is wrong; null for no single one. */
export function openaiError(fault: Fault) {
  const { message, type, param } = fault;
  return { error: { message, type, param, code: publicCode(fault.code) } };
}

/** The body of a fault on the Messages routes; `type` is of the shape, `code` the gateway's own, `requestId` the header. */
export function messagesError(fault: Fault, requestId: string) {
  const type = MESSAGES_TYPES[fault.status] ?? 'api_error';
  return {
    type: 'error' as const,
    error: {
      type,
      message: fault.message,
      code: publicCode(fault.code),
      ...(fault.details === null ? {} : { details: fault.details }),
    },
    request_id: requestId,
  };
}

/** `error.type` by status; every other status is an `api_error`. */
const MESSAGES_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'conflict_error',
  410: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** A frame without an event name. `json` is one line, as from `JSON.stringify`. */
export function dataFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** A frame with an event name, for shapes whose clients skip frames without one. */
export function eventFrame(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/**
 * One line without an empty line after it: some clients fail on the empty event that they would see there. No line
 * breaks in `text`.
 */
export function commentLine(text: string): string {
  return `: ${text}\n`;
}

const NOT_STORED = 'The answer will not be stored and cannot be collected: the request or the account stores none.';

/**
 * The body of the 202 of a detached request: the address of its result, and whether it will be stored. Spec 2.9.
 * `warning` is present only when nothing will be stored.
 */
export function acceptedOrder(order: AcceptedOrder): LaxJson<components['schemas']['AcceptedOrder']> {
  return {
    id: order.orderId,
    object: 'order',
    status: 'queued',
    expires_at: new Date(order.expiresAtMs).toISOString(),
    result_url: `/v1/orders/${order.orderId}/result`,
    result_stored: order.resultStored,
    result_retention_days: order.retentionDays,
    ...(order.resultStored ? {} : { warning: NOT_STORED }),
  };
}
