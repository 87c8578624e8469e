/**
 * What handlers reply, without express: `http/` writes it. `ReplyOf` has the documented replies of an operation, by status
 * and media type; refusals are not among them, because handlers throw those as Faults.
 */
import type { LaxJson, SentJson } from '#base/sent-json.ts';
import type { AnyId, ContentOf, RowOf, StatusOf } from './operation.ts';

export type Headers = Readonly<Record<string, string>>;

/** What is written for each `REPEATED` in the text of an event stream (base/repeated-bytes.ts); it never changes. */
interface RepeatingReply {
  readonly repeated?: Uint8Array | undefined;
}

/** A complete response; `json` undefined writes no body. Fields of objects that are undefined are not written. */
export interface JsonReply<Json = unknown, Status = number> {
  readonly status: Status;
  readonly headers?: Headers;
  readonly json: Json;
}

/** A response without a body. */
export interface EmptyReply<Status = number> {
  readonly status: Status;
  readonly headers?: Headers;
}

/** Bytes, sent as they are; `headers` have their content type. */
export interface RawReply<Raw extends string | Uint8Array = string | Uint8Array> {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: Raw;
  /** The very same bytes are sent again and never change, so their compressed form is worth keeping. */
  readonly shared?: boolean | undefined;
  /** Called when the bytes are sent or the caller has disconnected, so that their memory can be reused. */
  readonly release?: (() => void) | undefined;
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
  /** A caller who reads nothing for a minute is cut off. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** As in a FramesReply. */
  readonly heldBytes?: () => number;
}

/**
 * Text of an event stream, written no faster than the caller reads it. Each piece is whole frames or comments. A caller
 * who reads nothing for a minute is cut off; so is the connection when reading `frames` throws.
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

/** Any reply, as `http/` writes it. */
export type Reply = JsonReply | EmptyReply | RawReply | BytesReply | FramesReply | StreamReply;

declare const holds: unique symbol;

/** JSON text, or its bytes, and the type of its value. */
export type Rendered<Json> = (string | Uint8Array) & { readonly [holds]: Json };

/** The text of `json`. */
export function rendered<Json>(json: Json): Rendered<Json> {
  return JSON.stringify(json) as unknown as Rendered<Json>;
}

/** The JSON of a reply. Adapters render that of inference, also for files, where an absent field has no key. */
export type JsonOf<Id extends AnyId, Status extends StatusOf<Id> = StatusOf<Id> & 200> =
  ContentOf<Id, Status> extends { readonly 'application/json': infer Json }
    ? RowOf<Id>['tag'] extends 'inference'
      ? LaxJson<Json>
      : SentJson<Json>
    : never;

type Success = 200 | 201 | 202 | 203 | 204 | 304 | 308;
/** The statuses of replies. The health of a gateway that is not well is an answer too, not a refusal. */
type RepliedStatus<Id extends AnyId> = Extract<StatusOf<Id>, Success | (Id extends 'getHealth' ? 503 : never)>;

type ReplyWith<Id extends AnyId, Status extends StatusOf<Id>> = [ContentOf<Id, Status>] extends [never]
  ? EmptyReply<Status>
  : {
      'application/json':
        | JsonReply<JsonOf<Id, Status>, Status>
        | (RawReply<Rendered<JsonOf<Id, Status>>> & { status: Status });
      'text/event-stream': FramesReply | StreamReply;
      'application/jsonl': BytesReply;
      'application/x-ndjson': BytesReply;
    }[keyof ContentOf<Id, Status> & DocumentedType];

type DocumentedType = 'application/json' | 'text/event-stream' | 'application/jsonl' | 'application/x-ndjson';

/** A reply to a caller who has disconnected: it is never written. */
export type GoneReply = EmptyReply<499>;

/** What a handler of an operation may reply. */
export type ReplyOf<Id extends AnyId> =
  | { [Status in RepliedStatus<Id>]: ReplyWith<Id, Status> }[RepliedStatus<Id>]
  | (RowOf<Id>['limitClass'] extends 'inference' ? GoneReply : never);
