/**
 * A stream of server-sent events, read one at a time. It is part of the TypeScript client and handwritten: this file is
 * copied into it as it is. It does not connect again by itself, because only its caller knows which events it has.
 */

/** One event of a stream. */
export interface StreamEvent {
  /** Its name; null when it has none. */
  readonly event: string | null;
  /** The number or name by which a stream goes on after it; null when it has none. */
  readonly id: string | null;
  /** Its text: JSON or, at the end of some streams, `[DONE]`. */
  readonly data: string;
}

/** The most bytes that the lines of one event may have together: eight times the largest request by default. */
export const EVENT_BYTES_MAX = 64 * 1024 * 1024;

/** The connection ended in the middle of a stream, which can go on after `lastEventId`. `cause` says how it ended. */
export class StreamCut extends Error {
  override readonly name = 'StreamCut';
  /** That of the last event that the stream returned; null when none had one. */
  readonly lastEventId: string | null;

  constructor(lastEventId: string | null, cause: unknown) {
    super(`The stream was cut after ${lastEventId === null ? 'no event' : `event ${lastEventId}`}.`, { cause });
    this.lastEventId = lastEventId;
  }
}

/** An event that is larger than the bound; the stream was closed. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

/**
 * The events of a response, in order; iterate over it once. To leave the loop, or to call `close`, ends the connection. Keeps
 * one event and what came in the same piece. Throws StreamCut and EventTooLarge, after the events that came before.
 */
export class EventStream implements AsyncIterableIterator<StreamEvent, undefined> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #parser: EventParser;
  /** Those of the last piece, and how many of them were returned: `shift` would move all others each time. */
  #arrived: Arrived[] = [];
  #returned = 0;
  #lastEventId: string | null = null;
  #ended = false;
  #failure: Error | null = null;

  constructor(body: ReadableStream<Uint8Array>, eventBytesMax = EVENT_BYTES_MAX) {
    this.#reader = body.getReader();
    this.#parser = new EventParser(eventBytesMax);
  }

  /** That of the last returned event that had one; null when none had. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  async next(): Promise<IteratorResult<StreamEvent, undefined>> {
    while (this.#returned === this.#arrived.length && !this.#ended) await this.#read();
    const next = this.#arrived[this.#returned];
    if (next) {
      this.#returned++;
      this.#lastEventId = next.lastEventId;
      return { done: false, value: next.event };
    }
    if (this.#failure) throw this.#failure;
    return { done: true, value: undefined };
  }

  /** Ends the connection; a `next` that waits gets the end of the stream. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#arrived = [];
    this.#returned = 0;
    await this.#reader.cancel().catch(() => {});
  }

  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#reader.read();
      if (this.#ended) return;
      if (this.#returned === this.#arrived.length) {
        this.#arrived = [];
        this.#returned = 0;
      }
      if (!done) this.#parser.feed(value, this.#arrived);
      else if (this.#parser.inEvent) throw new Error('It ended within an event.');
      else this.#ended = true;
    } catch (cause) {
      if (this.#ended) return;
      const last = this.#arrived.at(-1)?.lastEventId ?? this.#lastEventId;
      this.#failure = cause instanceof EventTooLarge ? cause : new StreamCut(last, cause);
      this.#ended = true;
      await this.#reader.cancel().catch(() => {});
    }
  }
}

/** An event, and the last id when it came, which may be that of an earlier one. */
interface Arrived {
  readonly event: StreamEvent;
  readonly lastEventId: string | null;
}

/** What is kept for lines; a longer one has memory of its own. */
const LINE_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = '\uFEFF';

/** Server-sent events as the HTML standard reads them. Lines are decoded whole, so a piece may end within a character. */
class EventParser {
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The line that has not ended, in a buffer that grows: a line in tiny pieces takes no more memory than a whole one. */
  #line = new Uint8Array(LINE_BYTES);
  #lineBytes = 0;
  #firstLine = true;
  #afterReturn = false;
  /** The fields of the event that has not ended, and the bytes of its lines. */
  #event: string | null = null;
  #id: string | null = null;
  #data: string[] = [];
  #eventBytes = 0;
  #lastEventId: string | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether an event has begun and not ended. */
  get inEvent(): boolean {
    return this.#lineBytes > 0 || this.#eventBytes > 0;
  }

  /** Adds the events that end in this piece to `arrived`. Throws EventTooLarge. */
  feed(piece: Uint8Array, arrived: Arrived[]): void {
    let begin = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      const isSecondHalf = byte === LINE_FEED && this.#afterReturn;
      this.#afterReturn = byte === CARRIAGE_RETURN;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
      if (!isSecondHalf) this.#endLine(piece.subarray(begin, at), arrived);
      begin = at + 1;
    }
    this.#hold(piece.subarray(begin));
  }

  #hold(piece: Uint8Array): void {
    const bytes = this.#lineBytes + piece.length;
    if (this.#eventBytes + bytes > this.#bytesMax)
      throw new EventTooLarge(`An event of the stream has more than ${this.#bytesMax} bytes.`);
    if (bytes > this.#line.length) {
      const grown = new Uint8Array(2 * bytes);
      grown.set(this.#line.subarray(0, this.#lineBytes));
      this.#line = grown;
    }
    this.#line.set(piece, this.#lineBytes);
    this.#lineBytes = bytes;
  }

  #endLine(piece: Uint8Array, arrived: Arrived[]): void {
    this.#hold(piece);
    const bytes = this.#lineBytes;
    let line = this.#decoder.decode(this.#line.subarray(0, bytes));
    this.#lineBytes = 0;
    if (this.#line.length > LINE_BYTES) this.#line = new Uint8Array(LINE_BYTES);
    if (this.#firstLine && line.startsWith(BYTE_ORDER_MARK)) line = line.slice(1);
    this.#firstLine = false;
    if (line === '') this.#dispatch(arrived);
    else if (!line.startsWith(':')) {
      this.#eventBytes += bytes;
      this.#field(line);
    }
  }

  /** Other fields mean nothing here, `retry` included. */
  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value || null;
    else if (name === 'id' && !value.includes('\0')) {
      this.#id = value || null;
      this.#lastEventId = this.#id;
    }
  }

  #dispatch(arrived: Arrived[]): void {
    const event = { event: this.#event, id: this.#id, data: this.#data.join('\n') };
    if (this.#data.length > 0) arrived.push({ event, lastEventId: this.#lastEventId });
    this.#event = null;
    this.#id = null;
    this.#data = [];
    this.#eventBytes = 0;
  }
}
