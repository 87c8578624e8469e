/** What a handler gets, without express: `http/` builds the call from the request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '#access/principal.ts';
import type { RequestTrace } from '#orders/request.ts';
import type { AnyId, BodyOf, HeadersOf, ParamsOf, QueryOf, RowOf } from './operation.ts';
import type { QueryTexts } from './query.ts';

/** A request that passed routing, access, limits and validation. */
interface Request {
  /** Frees the memory of the body while the reply is still to come. `body` is undefined afterwards. */
  dropBody(): void;
  readonly requestId: string;
  /** What the caller's systems call the request, for its order. */
  readonly trace: RequestTrace;
  /** Whether only the headers of the reply are sent, as for HEAD. */
  readonly headersOnly: boolean;
  /**
   * Calls `run` once when the caller's connection closes before the reply is complete. When it is closed already, `run`
   * is called soon, but not before this call returns.
   */
  onGone(run: () => void): void;
}

/** The request of an operation. */
export interface Call<Id extends AnyId> extends Request {
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  readonly headers: HeadersOf<Id>;
  readonly body: RowOf<Id>['tag'] extends 'inference' ? BodyOf<Id> | ReadElsewhere : BodyOf<Id>;
}

/** What a handler finds instead of a body that the thread for large bodies has read for it. */
export class ReadElsewhere {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** What the thread's reader of the operation returned; for inference a `ReadRequest`. */
  as<Value>(): Value {
    return this.#value as Value;
  }
}

/** A call of an operation that requires a key. */
export type SecuredCall<Id extends AnyId> = Call<Id> & { readonly principal: Principal };

/** A call of an operation that takes a form (`multipart/form-data`). Its `body` is undefined. */
export type FormCall<Id extends AnyId> = SecuredCall<Id> & {
  /**
   * The parts in the order in which the caller sends them; to be read once, and received no faster than they are read.
   * Throws Fault invalid_request for a form that cannot be read, and request_too_large.
   */
  readonly form: AsyncIterable<FormPart>;
};

/** A call of any operation, as `http/` hands it over; the handler's type says what of it is there. */
export interface AnyCall extends Request {
  readonly params: Readonly<Record<string, string>>;
  readonly queryTexts: QueryTexts;
  /** As the reader of the operation returns it. */
  readonly query: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly principal: Principal;
  readonly form: AsyncIterable<FormPart>;
}

/** A short text field of a form. */
export interface FormField {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** A file in a form, while it arrives. It must be read to its end or skipped before the next part is read. */
export interface FormFile {
  readonly kind: 'file';
  readonly name: string;
  /** As the caller sent it: it may contain anything. Null when none was sent. */
  readonly filename: string | null;
  /** To be read once. Throws when the form ends early or is too large, or the caller disconnects. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Discards the content. */
  skip(): void;
}

export type FormPart = FormField | FormFile;
