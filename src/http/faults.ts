/**
 * Turns whatever was thrown into a status, headers and an error body; nothing else does. A Fault is reported as it is.
 * Anything else is an error of ours: 500, logged with its stack, and the caller learns nothing of it.
 */
import { messagesError, openaiError } from '#adapters/common/envelope.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import type { JsonReply } from '#contract/reply.ts';
import { isMessagesPath } from './contract.ts';

/** The request that failed. */
export interface FaultPlace {
  readonly path: string;
  readonly requestId: string;
}

/** What `faultOf` needs to classify and log an error. */
export interface FaultOptions {
  readonly log: Log;
  /** Whether an error means that the database fails or does not answer now, so that a retry may succeed. */
  readonly isOutage: (error: unknown) => boolean;
}

/** The fault for whatever was thrown. Logs what the caller may not see. */
export function faultOf(thrown: unknown, { path, requestId }: FaultPlace, { log, isOutage }: FaultOptions): Fault {
  if (thrown instanceof Fault) {
    if (thrown.status >= 500 && thrown.cause !== undefined) {
      log.warn({ request_id: requestId, path, code: thrown.code, err: thrown.cause }, 'A request failed.');
    }
    return thrown;
  }
  if (isOutage(thrown)) {
    log.warn(
      { request_id: requestId, path, err: thrown },
      'A request failed: the database failed, or does not answer.',
    );
    return new Fault('unavailable', { retryAfterS: OUTAGE_RETRY_S, cause: thrown });
  }
  log.error({ request_id: requestId, path, err: thrown }, 'A request failed with an unexpected error.');
  return new Fault('internal_error', { cause: thrown });
}

const OUTAGE_RETRY_S = 1;

/** The complete reply for a fault, in the envelope of the path. */
export function faultReply(fault: Fault, { path, requestId }: FaultPlace): JsonReply {
  const headers: Record<string, string> = { ...fault.headers };
  if (fault.orderId !== null) headers['x-service-order-id'] = fault.orderId;
  if (fault.retryAfterS !== null) headers['retry-after'] = String(fault.retryAfterS);
  if (isFinal(fault)) headers['x-should-retry'] = 'false';
  const json = isMessagesPath(path) ? messagesError(fault, requestId) : openaiError(fault);
  return { status: fault.status, headers, json };
}

/**
 * Whether the official SDKs must not retry the request: they retry every 408, 409, 429 and 5xx, and would place three
 * orders for one call.
 */
function isFinal({ status, orderId, retryAfterS }: Fault): boolean {
  if (status === 408 || status === 409) return true;
  if (retryAfterS !== null) return false;
  return status === 429 || (status >= 500 && orderId !== null);
}
