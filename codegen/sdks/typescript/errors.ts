/**
 * The errors of every call, of the layer and of the generated core alike. They are handwritten and copied into the client
 * as they are: the generator's own error has neither the order nor the charge.
 */

/** What is known of a failed call. */
export interface ErrorFacts {
  /** The HTTP status; null without an answer. */
  readonly status?: number | null;
  /** The code to program against, as docs/buy/errors.md lists them; null when something before the gateway answered. */
  readonly code?: string | null;
  /** The broad kind, such as `invalid_request_error`; null likewise. */
  readonly type?: string | null;
  /** The field or header at fault, when it is one. */
  readonly param?: string | null;
  /** The order that the call made or asked about; null when there is none, or none is known. */
  readonly orderId?: string | null;
  /** Names the request in the gateway's log. */
  readonly requestId?: string | null;
  readonly headers?: Headers;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  /** Whether the order was paid. Null only when the connection broke and nothing could be learned since. */
  readonly charged?: boolean | null;
  readonly cause?: unknown;
}

/** Of all errors of this client. */
export class SluiceError extends Error {
  readonly status: number | null;
  readonly code: string | null;
  readonly type: string | null;
  readonly param: string | null;
  readonly orderId: string | null;
  readonly requestId: string | null;
  readonly headers: Headers;
  readonly retryable: boolean;
  readonly charged: boolean | null;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.status = facts.status ?? null;
    this.code = facts.code ?? null;
    this.type = facts.type ?? null;
    this.param = facts.param ?? null;
    this.orderId = facts.orderId ?? null;
    this.requestId = facts.requestId ?? facts.headers?.get('x-request-id') ?? null;
    this.headers = facts.headers ?? new Headers();
    this.retryable = facts.retryable ?? false;
    this.charged = facts.charged === undefined ? false : facts.charged;
  }
}

/** 400, 405, 413: the request is wrong; `param` names the field. */
export class InvalidRequestError extends SluiceError {}
/** 401: the key. */
export class AuthenticationError extends SluiceError {}
/** 402: the balance, or the budget of the key. */
export class InsufficientQuotaError extends SluiceError {}
/** 403: what the key or the account may not do. */
export class PermissionError extends SluiceError {}
/** 404: no such model, or nothing of yours with this id. */
export class NotFoundError extends SluiceError {}
/** The order waited until its end, or its lock or its slot did not come in time. */
export class OrderExpiredError extends SluiceError {}
/** 409: what was asked does not fit the state of the order, batch or key. */
export class ConflictError extends SluiceError {}
/** 410: the result was not stored, or is not any more. */
export class ResultUnavailableError extends SluiceError {}
/** 429: too many requests, or too much that waits. */
export class RateLimitError extends SluiceError {}
/** 5xx. */
export class ServerError extends SluiceError {}
/** The call's `timeout` or `signal` ended it. */
export class TimeoutError extends SluiceError {}
/** No answer came, also not after the retries; `cause` says why. */
export class ConnectionError extends SluiceError {}
/** A success that the gateway does not describe. It may name an order. */
export class UnexpectedAnswerError extends SluiceError {}

/** An error as the gateway writes it: in an envelope, in the result of an order, in an event. */
export interface WireFault {
  readonly message: string;
  readonly code?: string | null;
  readonly type?: string | null;
  readonly param?: string | null;
}

const CLASSES: Readonly<Record<number, typeof SluiceError>> = {
  401: AuthenticationError,
  402: InsufficientQuotaError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: ResultUnavailableError,
  429: RateLimitError,
};

/** The error of an answer with this status, in the class of its kind. */
export function errorOf(status: number, fault: WireFault, facts: ErrorFacts): SluiceError {
  const { message, code = null, type = null, param = null } = fault;
  const isExpiry = code === 'capacity_unavailable' || (status === 408 && code !== null);
  const otherwise = status >= 500 || status === 408 ? ServerError : InvalidRequestError;
  const Class = isExpiry ? OrderExpiredError : (CLASSES[status] ?? otherwise);
  return new Class(message, { ...facts, status, code, type, param });
}

/** Statuses of the reasons for which an order ends unserved; 500 for all others. */
const STATUS_OF_END: Readonly<Record<string, number>> = {
  ...{ order_expired: 408, capacity_unavailable: 429, insufficient_balance: 402, key_budget_exceeded: 402 },
  ...{ order_canceled: 409, account_suspended: 409, prices_changed: 409, context_length_exceeded: 400 },
  ...{ model_refused: 400, model_not_found: 404, backend_error: 502, gateway_restarted: 503, gateway_draining: 503 },
};

/** How an order ended without an answer: nothing was charged. */
export function endOf(orderId: string | null, fault: WireFault): SluiceError {
  const status = STATUS_OF_END[fault.code ?? ''] ?? 500;
  return errorOf(status, fault, { orderId, charged: false, retryable: status >= 500 });
}

/** The fault in the text of an answer; null when something else than the gateway wrote it. */
export function faultIn(text: string): WireFault | null {
  try {
    const { error } = JSON.parse(text) as { error?: WireFault };
    return error?.type && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}
