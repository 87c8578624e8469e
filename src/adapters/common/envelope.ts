/**
 * The two error bodies: the Messages envelope on the Messages routes, OpenAI's on all others. A body is the same as a
 * response and as an event of an open stream. Spec 7.
 */
import { type Fault, publicCode } from '#base/fault.ts';

/** The error body outside the Messages routes. */
interface OpenaiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    /** The field or header that is wrong; null when there is no single one. */
    readonly param: string | null;
    readonly code: string;
  };
}

/** The error body on the Messages routes; `type` is of the shape, `code` the gateway's own. */
interface MessagesError {
  readonly type: 'error';
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: string;
    readonly details?: Readonly<Record<string, string>>;
  };
  readonly request_id: string;
}

/** The body of a fault outside the Messages routes. */
export function openaiError(fault: Fault): OpenaiError {
  const { message, type, param } = fault;
  return { error: { message, type, param, code: publicCode(fault.code) } };
}

/** The body of a fault on the Messages routes; `requestId` equals the header `request-id`. */
export function messagesError(fault: Fault, requestId: string): MessagesError {
  const type = MESSAGES_TYPES[fault.status] ?? 'api_error';
  return {
    type: 'error',
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
