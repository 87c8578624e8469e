/**
 * What a handler gets and returns, without express: `http/` builds the call from the request and writes the reply.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '#access/principal.ts';
import type { RequestTrace } from '#orders/request.ts';

/** A request that passed routing, access, limits and validation. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  /** The first value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The validated body; undefined for an operation without one. */
  readonly body: unknown;
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

/** A call of an operation that requires a key. */
export interface SecuredCall extends Call {
  readonly principal: Principal;
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

/** A call of an operation that takes a form (`multipart/form-data`). Its `body` is undefined. */
export interface FormCall extends SecuredCall {
  /**
   * The parts in the order in which the caller sends them; to be read once, and received no faster than they are read.
   * Throws Fault invalid_request for a form that cannot be read, and request_too_large.
   */
  readonly form: AsyncIterable<FormPart>;
}

export type Headers = Readonly<Record<string, string>>;

/** What is written for each `REPEATED` in the text of an event stream (base/repeated-bytes.ts); it never changes. */
interface RepeatingReply {
  readonly repeated?: Uint8Array | undefined;
}

/** A complete response; `json` undefined writes no body. */
export interface JsonReply {
  readonly status: number;
  readonly headers?: Headers;
  readonly json?: unknown;
}

/** Bytes, sent as they are; `headers` have their content type. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: string | Uint8Array;
  /** The very same bytes go out again and never change, so that what they become when compressed is worth keeping. */
  readonly shared?: boolean;
  /** Called when the bytes are sent or the caller has disconnected, so that their memory can be reused. */
  readonly release?: () => void;
}

/**
 * Bytes that are read while they are written, never faster than the caller reads them. The headers are sent with the
 * first chunk, so a Fault thrown before is still a reply; after an error later the connection is closed early.
 */
export interface BytesReply {
  readonly status: 200;
  readonly headers: Headers;
  /** The total number of bytes; null while it is not known. */
  readonly length: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Text of an event stream, written no faster than the caller reads it. Each piece is whole frames or comments. Who reads
 * nothing for a minute, though there is something, is cut off; so is the connection when reading `frames` throws.
 */
export interface FramesReply extends RepeatingReply {
  readonly status: 200;
  readonly headers?: Headers;
  readonly frames: AsyncIterable<string>;
  /** How much memory is kept for this caller until it has read everything, in bytes, as it is now. */
  readonly heldBytes?: () => number;
}

/** An event stream: `open` may write frames until it calls `end`. The headers are sent within milliseconds. */
export interface StreamReply extends RepeatingReply {
  readonly status: 200;
  readonly headers?: Headers;
  readonly open: (out: StreamWriter) => void;
}

/** Writes to an open stream. After `end`, and once the caller has disconnected, writing does nothing. */
export interface StreamWriter {
  /** Writes complete frames or comment lines. Returns false under backpressure: the caller reads too slowly. */
  write(text: string): boolean;
  /**
   * The same for text that is soon followed by more: it is sent with the next write, with the end, or after about
   * 20 ms.
   */
  hold(text: string): void;
  end(text?: string): void;
}

export type Reply = JsonReply | RawReply | BytesReply | FramesReply | StreamReply;

/** The handler of an open operation, of an operation that needs a key, and of one that also takes a form. */
export type OpenHandler = (call: Call) => Promise<Reply> | Reply;
export type SecuredHandler = (call: SecuredCall) => Promise<Reply> | Reply;
/** One that is about what is the account's, whoever asks for it, and uses these parts of a call. */
export type AccountHandler<Parts extends 'query' | 'params' | 'body' = 'query'> = (
  call: Pick<Call, Parts> & { readonly principal: Pick<Principal, 'account'> },
) => Promise<Reply> | Reply;
export type FormHandler = (call: FormCall) => Promise<Reply> | Reply;
