/**
 * What all errors have, and those that no answer of the gateway has; its codes have classes in error-classes.ts. This file
 * is handwritten and copied into the client as it is: the generator's own error has neither the order nor the charge.
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
  /** Whether the order was paid. Null while it still lives, and when the connection broke and nothing could be learned. */
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

/** The call's `timeout` or `signal` ended it. */
export class TimeoutError extends SluiceError {}
/** No answer came, also not after the retries; `cause` says why. */
export class ConnectionError extends SluiceError {}
/** A success or redirect that the gateway does not describe. It may name an order. */
export class UnexpectedAnswerError extends SluiceError {}
