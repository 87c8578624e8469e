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
}

/** Server-sent events: the head is written at once, then `open` writes frames for as long as it likes. */
export interface StreamReply {
  readonly status: 200;
  readonly headers?: Headers;
  readonly open: (out: StreamWriter) => void;
}

/** Writes to an open stream. After `end`, or once the caller is gone, writing does nothing. */
export interface StreamWriter {
  /** Whole frames or comment lines, as text. Returns false when the caller reads more slowly than we write. */
  write(text: string): boolean;
  end(text?: string): void;
}

export type Reply = JsonReply | RawReply | StreamReply;

/** A handler of an open operation, and of one that needs a key. */
export type OpenHandler = (call: Call) => Promise<Reply> | Reply;
export type SecuredHandler = (call: SecuredCall) => Promise<Reply> | Reply;
