/**
 * The catalogue of errors that callers can cause or must know about. A `Fault` has a public code, status and sentence,
 * and a private cause. It is thrown where the error is detected and turned into a response in one place
 * (`http/faults.ts`). What cannot happen is an `assert`, never a Fault. Spec 7; docs/buy/errors.md says when each happens.
 */

interface Kind {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** `error.type` outside the Messages routes, by status; above these it is a `server_error`. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'conflict_error',
  410: 'gone_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
};

const kind = (status: number, message: string): Kind => ({ status, type: TYPES[status] ?? 'server_error', message });

/** Every code with its status and its default sentence. */
export const catalogue = {
  invalid_request: kind(400, 'The request is not valid.'),
  invalid_json: kind(400, 'The body is not valid JSON.'),
  missing_price_limit: kind(
    400,
    'This model is sold at a market price: send price_limit, or set a default for the key or the account.',
  ),
  missing_bid: kind(
    400,
    'This model is sold at a market price: send max_price, or set a default for the key or the account.',
  ),
  invalid_output_cap: kind(
    400,
    'The output cap must be a positive integer; chat and text completions take up to 10000000.',
  ),
  invalid_price_limit: kind(
    400,
    'A price limit is a number from 0 to 1000000000, in USD per 1M input tokens at the reference mix.',
  ),
  invalid_max_wait: kind(400, 'max_wait is a whole number of seconds from 1 to 2592000.'),
  invalid_max_charge: kind(400, 'A bound of the charge is a number from 0 to 1000000, in USD.'),
  max_charge_too_low: kind(400, 'max_charge_usd does not cover the input and one output token. Nothing was charged.'),
  model_deprecated: kind(400, 'This model is deprecated and takes no more requests.'),
  model_preview: kind(
    400,
    'This market is in preview: its prices are simulated and it takes no requests. Nothing was charged.',
  ),
  unknown_model: kind(400, 'No such model is served here. GET /v1/models lists them.'),
  fixed_price_model: kind(400, 'This model has fixed prices and no market. GET /v1/models shows them.'),
  context_length_exceeded: kind(400, 'The prompt exceeds the context of this model. Nothing was charged.'),
  model_refused: kind(400, 'The model refused this request.'),
  invalid_cursor: kind(400, 'This cursor was not issued by this list.'),
  unsupported_encoding: kind(400, 'Send the body uncompressed, or in gzip, br or zstd.'),
  invalid_api_key: kind(401, 'Send a valid API key as Authorization: Bearer <API_KEY>.'),
  not_signed_in: kind(401, 'Sign in first.'),
  sign_in_failed: kind(
    401,
    'This did not work. Ask for a new link if you have no password, or if yours is not accepted.',
  ),
  insufficient_balance: kind(402, 'The balance cannot cover this request. Nothing was charged.'),
  key_budget_exceeded: kind(402, 'The budget of this API key cannot cover this request. Nothing was charged.'),
  model_not_allowed: kind(403, 'This API key may not use this model.'),
  missing_scope: kind(403, 'This API key lacks the scope that this request needs.'),
  address_not_allowed: kind(403, 'This API key may not be used from this address.'),
  account_suspended: kind(403, 'This account is suspended.'),
  too_many_keys: kind(403, 'This account has reached its limit of active keys. Revoke one first.'),
  identity_refused: kind(403, 'Your identity provider knows you, and this gateway does not.'),
  role_refused: kind(403, 'Your role does not allow this.'),
  forged_request: kind(403, 'This request did not come from a page of the gateway: load the page again.'),
  needs_tls: kind(
    403,
    'Sign in over TLS. Behind a proxy, set trust_proxy, and have the proxy send Host and X-Forwarded-Proto.',
  ),
  not_found: kind(404, 'There is nothing at this address.'),
  model_not_found: kind(404, 'No such model is served here. GET /v1/models lists them.'),
  method_not_allowed: kind(405, 'This address does not support that method.'),
  order_expired: kind(408, 'The order waited as long as it was allowed to and did not start. Nothing was charged.'),
  order_canceled: kind(409, 'The order was canceled while it waited. Nothing was charged.'),
  idempotency_error: kind(409, 'This Idempotency-Key was used for a different request.'),
  order_not_cancelable: kind(409, 'Only a queued order can be canceled.'),
  order_not_followable: kind(
    409,
    'This order ends with its caller. Only one with an Idempotency-Key and a stored result, or a detached one, can be followed.',
  ),
  stream_restarted: kind(
    409,
    'The gateway that ran this order stopped, and the order was started again. Follow it from the beginning.',
  ),
  order_not_settled: kind(409, 'Only an order that is done has a receipt.'),
  result_write_pending: kind(409, 'The result is being written. Try again in a moment.'),
  batch_in_progress: kind(409, 'This order is a line of a running batch.'),
  batch_not_cancelable: kind(409, 'Only a batch that is validating or in progress can be canceled.'),
  prices_changed: kind(409, 'The prices of this model changed after the batch was created, so the line was not run.'),
  account_busy: kind(409, 'Orders of this account wait or run. Cancel them, or wait for their end.'),
  file_in_use: kind(409, 'An active batch uses this file.'),
  result_unavailable: kind(410, 'The order finished and its result is not stored any more.'),
  request_too_large: kind(413, 'The body is over 8 MiB.'),
  rate_limit_error: kind(429, 'Too many requests. Retry-After says when to try again.'),
  queue_full: kind(429, 'This account has reached its limit of queued orders.'),
  queued_bytes_exceeded: kind(429, 'The queued requests of this account hold as many bytes as they may.'),
  capacity_unavailable: kind(429, 'The order did not start in time. Nothing was charged.'),
  result_pending: kind(429, 'The answer to this Idempotency-Key is not ready yet.'),
  internal_error: kind(500, 'Something went wrong here. Nothing was charged unless the order says so.'),
  settlement_uncertain: kind(
    500,
    'The charge is not certain yet: check the order and the usage before repeating the request.',
  ),
  input_unreadable: kind(500, 'The gateway could not read this request back from its storage. Nothing was charged.'),
  backend_error: kind(502, 'The model backend failed. Nothing was charged.'),
  unavailable: kind(503, 'The gateway cannot take this now. Try again shortly.'),
  gateway_restarted: kind(503, 'The gateway restarted before this order was finished. Nothing was charged.'),
} as const satisfies Record<string, Kind>;

/** A code of the catalogue. */
export type FaultCode = keyof typeof catalogue;

/** Whether a text that was stored or sent is a code. */
export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(catalogue, code);
}

/** Details of one occurrence. */
export interface FaultDetail {
  /** A public sentence that names the thing, the place and the fix; the catalogue's if absent. */
  readonly message?: string;
  /** The field or header at fault. */
  readonly param?: string;
  /** Seconds for Retry-After. */
  readonly retryAfterS?: number;
  /** The order that failed or is concerned, for x-service-order-id. */
  readonly orderId?: string;
  /** `error.details` on the Messages routes, from which official clients recover. */
  readonly details?: Readonly<Record<string, string>>;
  /** Extra response headers, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Private: logged, never sent. */
  readonly cause?: unknown;
}

/** An error reported to the caller. Example: `throw new Fault('model_not_found', { param: 'model' })`. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly retryAfterS: number | null;
  readonly orderId: string | null;
  readonly details: Readonly<Record<string, string>> | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, detail: FaultDetail = {}) {
    const { status, type, message } = catalogue[code];
    super(detail.message ?? message, { cause: detail.cause });
    this.name = 'Fault';
    this.code = code;
    this.status = status;
    this.type = type;
    this.param = detail.param ?? null;
    this.retryAfterS = detail.retryAfterS ?? null;
    this.orderId = detail.orderId ?? null;
    this.details = detail.details ?? null;
    this.headers = detail.headers ?? {};
  }

  /** The same fault with the id of its order. */
  withOrder(orderId: string): Fault {
    return this.#with({ orderId });
  }

  /** The same fault with these response headers as well. */
  withHeaders(headers: Readonly<Record<string, string>>): Fault {
    return this.#with({ headers: { ...this.headers, ...headers } });
  }

  #with(detail: FaultDetail): Fault {
    return new Fault(this.code, {
      message: this.message,
      headers: this.headers,
      cause: this.cause,
      ...(this.orderId === null ? {} : { orderId: this.orderId }),
      ...(this.param === null ? {} : { param: this.param }),
      ...(this.details === null ? {} : { details: this.details }),
      ...(this.retryAfterS === null ? {} : { retryAfterS: this.retryAfterS }),
      ...detail,
    });
  }
}

/** The fault for a parameter or field that is not as it must be, null for no single one; `message` says how it must be. */
export function invalidRequest(param: string | null, message: string): Fault {
  return new Fault('invalid_request', { ...(param === null ? {} : { param }), message });
}

/** The `code` on the wire: `queue_full` is sent as the specification's `rate_limit_error`. */
export function publicCode(code: FaultCode): string {
  return code === 'queue_full' ? 'rate_limit_error' : code;
}
