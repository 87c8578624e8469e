/**
 * Writes server-sent events. A write to a socket costs more than everything else that is done for a token, so events
 * that come close together are written together: a stream that was silent writes at once, and one that has just
 * written gathers events for a few milliseconds. Tokens that come more slowly than that are never delayed,
 * except to a caller who has not read what came before. Keepalives are written by `handlers/inference.ts`, by
 * `handlers/stream-reader.ts` for a stream that is followed, and by `market/data/feed.ts`: these know how long a stream was
 * silent. What a keepalive says is `keepalive()` of the wire shape.
 * A stream whose caller reads nothing for a minute, or falls too far behind, is cut.
 */
import type { ServerResponse } from 'node:http';
import { type Clock, systemClock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { partsOf, piecesOf, REPEATED } from '#base/repeated-bytes.ts';
import type { FramesReply, Headers, StreamWriter } from '#contract/reply.ts';
import type { RequestContext } from './request-context.ts';

/** The headers of every event stream. The last one asks nginx not to buffer the events. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A caller who was this far behind before a write has stopped reading; its connection is closed to free the memory. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** How long a caller may take for one piece of a reply that waits for it: on the machine's clock, as only a socket sees it. */
const STALLED_MS = 60_000;
/** How long events may wait for those that follow. */
const GATHER_MS = 4;
/** How many times GATHER_MS held text may wait for the next write. */
const HOLD_GATHERS = 5;
/** In UTF-16 units: more than this is written at once. */
const GATHERED_MAX = 64 * 1024;

/** Something that can be flushed. */
interface Flushable {
  /** Called once after each `join`. It may join again from inside this call. */
  onFlush(): void;
}

/** The flushes per turn of the event loop. Each may write to a socket, which takes about 20 µs. */
const SLICE = 128;

/**
 * One timer that coalesces writes: streams that join within a short delay are flushed together. The flush runs after
 * the input that arrived during the delay was read. If it ran earlier, a busy process would coalesce nothing.
 */
export class FlushTimer {
  readonly #clock: Clock;
  readonly #waitMs: number;
  #members: Flushable[] = [];

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Calls `member` once, at most `waitMs` and the then current turn of the event loop later. */
  join(member: Flushable): void {
    if (this.#members.push(member) === 1) this.#clock.after(this.#waitMs, () => setImmediate(() => this.#flushAll()));
  }

  #flushAll(): void {
    const members = this.#members;
    this.#members = [];
    this.#flushSlice(members, 0);
  }

  #flushSlice(members: readonly Flushable[], from: number): void {
    const end = Math.min(members.length, from + SLICE);
    for (let index = from; index < end; index++) members[index]?.onFlush();
    if (end < members.length) setImmediate(() => this.#flushSlice(members, end));
  }
}

/** Uses the machine's clock, even when a test moves another: only a socket sees how bytes were gathered. */
const sharedFlushTimer = new FlushTimer(systemClock, GATHER_MS);

const streaming = new WeakSet<ServerResponse>();

/** Whether the response is a stream of events, between which comments may be written. */
export function isEventStream(response: ServerResponse): boolean {
  return streaming.has(response);
}

/** Allows comments between the writes to the response. */
export function markEventStream(response: ServerResponse): void {
  streaming.add(response);
}

/**
 * Writes text with `repeated` in place of its marks: at once, because others may write a comment in the next turn of the
 * event loop, and together, because Node joins what is written in one. Returns false when the caller reads too slowly.
 */
export function writeText(response: ServerResponse, text: string, repeated: Uint8Array | undefined): boolean {
  if (!repeated) return response.write(text);
  for (const piece of piecesOf(text, repeated)) response.write(piece);
  return !response.writableNeedDrain;
}

/** What an event stream needs besides its response. */
interface EventStreamOptions {
  readonly unread: UnreadBytes;
  /** What is written for each `REPEATED`. */
  readonly repeated?: Uint8Array | undefined;
  readonly flushTimer?: FlushTimer;
}

/** A stream on a response whose headers are set but not sent yet. */
export class EventStream implements StreamWriter {
  readonly #response: ServerResponse;
  readonly #unread: UnreadBytes;
  readonly #repeated: Uint8Array | undefined;
  readonly #flushTimer: FlushTimer;
  #headersSent = false;
  #pending = '';
  /** Whether `#pending` will be flushed at the end of this turn of the event loop. */
  #flushingSoon = false;
  /** Whether the flush timer will call `onFlush`. */
  #gathering = false;
  /** How many flushes are still skipped, so that held text waits for the next write. */
  #flushesToSkip = 0;
  /** Whether the pending text waits for the caller to read what was written. */
  #awaitingReader = false;
  #ended = false;

  /** The headers wait for the first text, like held text. */
  constructor(
    response: ServerResponse,
    { unread, repeated = undefined, flushTimer = sharedFlushTimer }: EventStreamOptions,
  ) {
    this.#response = response;
    this.#unread = unread;
    this.#repeated = repeated;
    this.#flushTimer = flushTimer;
    markEventStream(response);
    this.hold('');
  }

  write(text: string): boolean {
    if (this.#closed) return false;
    this.#pending += text;
    if (this.#isMuch) this.#flush();
    else if (this.#flushesToSkip > 0 || !this.#gathering) this.#flushSoon();
    return !this.#response.writableNeedDrain;
  }

  hold(text: string): void {
    if (this.#closed) return;
    this.#pending += text;
    this.#flushesToSkip = HOLD_GATHERS;
    if (this.#isMuch) this.#flush();
    else this.#gather();
  }

  end(text = ''): void {
    if (this.#closed) return;
    this.#ended = true;
    this.#pending += text;
    // All in one write, which a text with marks is not.
    if (this.#repeated) this.#send();
    this.#response.end(this.#pending);
    this.#pending = '';
    this.#unread.note(this.#response);
  }

  onFlush(): void {
    this.#gathering = false;
    if (this.#flushesToSkip > 0) this.#flushesToSkip--;
    if (this.#flushesToSkip > 0) this.#gather();
    else this.#flush();
  }

  #flushSoon(): void {
    if (this.#flushingSoon) return;
    this.#flushingSoon = true;
    process.nextTick(() => {
      this.#flushingSoon = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#closed || (this.#headersSent && this.#pending === '')) return;
    if (this.#response.writableNeedDrain && !this.#isMuch) {
      this.#flushWhenRead();
      return;
    }
    if (this.#response.writableLength > UNREAD_BYTES_MAX) {
      this.#unread.cutOff(this.#response);
      return;
    }
    if (this.#pending === '') this.#response.flushHeaders();
    else this.#send();
    this.#headersSent = true;
    this.#flushesToSkip = 0;
    this.#unread.note(this.#response);
    this.#gather();
  }

  /** For a caller who is behind: each write that waits costs three hundred bytes besides its text. */
  #flushWhenRead(): void {
    if (this.#awaitingReader) return;
    this.#awaitingReader = true;
    this.#response.once('drain', () => {
      this.#awaitingReader = false;
      this.#flush();
    });
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#flushTimer.join(this);
  }

  #send(): void {
    writeText(this.#response, this.#pending, this.#repeated);
    this.#pending = '';
  }

  /** Whether the pending text is not to be gathered. */
  get #isMuch(): boolean {
    return this.#pending.length > GATHERED_MAX || (this.#repeated !== undefined && this.#pending.includes(REPEATED));
  }

  get #closed(): boolean {
    return this.#ended || this.#response.destroyed;
  }
}

/** Writes frames no faster than the caller reads them. */
export async function writeFrames(
  context: RequestContext,
  headers: Headers,
  { frames, repeated, heldBytes }: FramesReply,
  unread: UnreadBytes,
): Promise<void> {
  const { request, response } = context;
  response.writeHead(200, headers);
  if (request.method !== 'HEAD') {
    markEventStream(response);
    for await (const text of frames) {
      for (const part of repeated ? partsOf(text) : [text]) {
        if (response.destroyed) return;
        context.writtenBytes += Buffer.byteLength(part) + (repeated && part.includes(REPEATED) ? repeated.length : 0);
        if (writeText(response, part, repeated)) continue;
        unread.note(response, heldBytes?.());
        await unread.read(response);
      }
    }
  }
  response.end();
}

/** Resolves when more may be written, or when the caller has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      response.off('drain', over).off('close', over);
      resolve();
    };
    response.on('drain', over).on('close', over);
  });
}

/** A caller is behind with more than this; less is no more than its connection costs anyway. */
const BEHIND_BYTES = 64 * 1024;

/**
 * What callers have not read yet of their replies, in bytes, over all connections. A caller who reads costs nothing
 * here: its socket takes what is written. Beyond the budget the callers who have been behind the longest are cut off,
 * as if they had left. What is kept in memory for a caller who is behind counts like what is unread.
 */
export class UnreadBytes {
  readonly #bytesMax: () => number;
  readonly #log: Log;
  readonly #clock: Clock;
  /** The bytes when they were last counted; the stream that has been behind the longest comes first. */
  readonly #behind = new Map<ServerResponse, number>();
  /** The part of it that is kept for followers of streams. */
  readonly #held = new WeakMap<ServerResponse, number>();
  #total = 0;

  /** `bytesMax` is called for each decision. */
  constructor(bytesMax: number | (() => number), log: Log, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#bytesMax = typeof bytesMax === 'number' ? () => bytesMax : bytesMax;
    this.#log = log;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Counts what is unread of a reply, and `heldBytes` that are kept for it; to be called after each write, with the latter
   * when the reply waits for its caller. May cut off this caller or others.
   */
  note(response: ServerResponse, heldBytes = 0): void {
    if (response.writableLength + heldBytes <= BEHIND_BYTES || response.destroyed) return;
    if (heldBytes > 0) this.#held.set(response, heldBytes);
    if (!this.#behind.has(response)) this.#begin(response);
    this.#count(response);
    if (this.#total > this.#bytesMax()) this.#makeRoom();
  }

  /** Resolves when the caller has read what was written, or has disconnected. Cuts it off when it takes a minute. */
  async read(response: ServerResponse): Promise<void> {
    const stalled = this.#clock.after(STALLED_MS, () => this.cutOff(response));
    await drained(response);
    stalled.cancel();
  }

  /** Closes the connection of a caller who reads too slowly. */
  cutOff(response: ServerResponse): void {
    this.#log.info({ unread: response.writableLength }, 'A caller was cut off that read its reply too slowly.');
    response.destroy();
  }

  #begin(response: ServerResponse): void {
    const over = () => {
      response.off('drain', over).off('finish', over).off('close', over);
      this.#total -= this.#behind.get(response) ?? 0;
      this.#behind.delete(response);
    };
    this.#behind.set(response, 0);
    response.on('drain', over).on('finish', over).on('close', over);
  }

  #count(response: ServerResponse): void {
    const bytes = response.destroyed ? 0 : response.writableLength + (this.#held.get(response) ?? 0);
    this.#total += bytes - (this.#behind.get(response) ?? 0);
    this.#behind.set(response, bytes);
  }

  #makeRoom(): void {
    // Many may have read since they were counted.
    for (const response of this.#behind.keys()) this.#count(response);
    for (const response of this.#behind.keys()) {
      if (this.#total <= this.#bytesMax()) return;
      if (response.destroyed) continue;
      this.cutOff(response);
      this.#count(response);
    }
  }
}
