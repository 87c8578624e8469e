/**
 * What a handler gets and gives. No express here: `http/` builds the call from the request, and writes the reply.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '#access/principal.ts';

/** One request that has passed routing, access, limits and validation. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  /** The first value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The validated body; undefined for an operation without one. */
  readonly body: unknown;
  readonly requestId: string;
  /**
   * Runs once when the caller's connection closes before the reply was written whole; soon, but not from inside this
   * call, when it has closed already.
   */
  onGone(run: () => void): void;
}

/** A call of an operation that needs a key. */
export interface SecuredCall extends Call {
  readonly principal: Principal;
}

/** A form value that is short text. */
export interface FormField {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** A file in a form, while it arrives. It is read to its end, or skipped, before the next part is asked for. */
export interface FormFile {
  readonly kind: 'file';
  readonly name: string;
  /** As the caller sent it: anything may be in it. Null when it sent none. */
  readonly filename: string | null;
  /** To be read once. Throws when the form breaks off, is too large, or the caller goes away. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Lets the content pass unread. */
  skip(): void;
}

export type FormPart = FormField | FormFile;

/** A call of an operation that takes a form (`multipart/form-data`). Its body is undefined. */
export interface FormCall extends SecuredCall {
  /**
   * The parts in the order in which they arrive, which is up to the caller; to be read once. Nothing is taken from the
   * connection before it is asked for. Throws Fault invalid_request for a form that cannot be read, request_too_large.
   */
  readonly form: AsyncIterable<FormPart>;
}

export type Headers = Readonly<Record<string, string>>;

/** A whole answer; `json` undefined writes no body. */
export interface JsonReply {
  readonly status: number;
  readonly headers?: Headers;
  readonly json?: unknown;
}

/** Bytes as they are, with their own content type. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: string | Uint8Array;
  /** Called once the bytes have left or nobody is there to read them: their memory is used again. */
  readonly release?: () => void;
}

/**
 * Bytes that are read while they are written, never faster than the caller takes them. The head leaves with the first of
 * them, so a Fault thrown before is still told; after it the connection is cut, and the caller misses bytes.
 */
export interface BytesReply {
  readonly status: 200;
  readonly headers: Headers;
  /** How many bytes there are in all. */
  readonly length: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Server-sent events: `open` writes frames for as long as it likes; the head leaves within milliseconds, come what may. */
export interface StreamReply {
  readonly status: 200;
  readonly headers?: Headers;
  readonly open: (out: StreamWriter) => void;
}

/** Writes to an open stream. After `end`, or once the caller is gone, writing does nothing. */
export interface StreamWriter {
  /** Whole frames or comment lines, as text. Returns false when the caller reads more slowly than we write. */
  write(text: string): boolean;
  /**
   * The same for what is worth little alone and soon followed: it leaves with what is written next, with the end, or
   * after some 20 ms.
   */
  hold(text: string): void;
  end(text?: string): void;
}

export type Reply = JsonReply | RawReply | BytesReply | StreamReply;

/** A handler of an open operation, of one that needs a key, and of one that takes a form besides. */
export type OpenHandler = (call: Call) => Promise<Reply> | Reply;
export type SecuredHandler = (call: SecuredCall) => Promise<Reply> | Reply;
export type FormHandler = (call: FormCall) => Promise<Reply> | Reply;
