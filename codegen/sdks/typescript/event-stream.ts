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
  readonly #events: AsyncGenerator<StreamEvent, undefined>;
  #lastEventId: string | null = null;
  #closed = false;
  #failure: Error | null = null;

  constructor(body: ReadableStream<Uint8Array>, eventBytesMax = EVENT_BYTES_MAX) {
    this.#reader = body.getReader();
    this.#events = this.#read(new EventParser(eventBytesMax));
  }

  /** That of the last returned event that had one; null when none had. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  async next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#failure) throw this.#failure;
    return this.#closed ? { done: true, value: undefined } : this.#events.next();
  }

  /** Ends the connection; a `next` that waits gets the end of the stream. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#reader.cancel().catch(() => {});
  }

  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#read(parser: EventParser): AsyncGenerator<StreamEvent, undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done || this.#closed) break;
        for (const event of parser.feed(value)) {
          this.#lastEventId = parser.lastEventId;
          yield event;
        }
      }
      if (parser.inEvent && !this.#closed) throw new Error('It ended within an event.');
    } catch (cause) {
      if (this.#closed) return;
      this.#failure = cause instanceof EventTooLarge ? cause : new StreamCut(this.#lastEventId, cause);
      await this.#reader.cancel().catch(() => {});
      throw this.#failure;
    }
  }
}

/** What is kept for lines; a longer one has memory of its own. */
const LINE_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

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
  /** That of the event that was returned last, or of an earlier one. */
  lastEventId: string | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether an event has begun and not ended. */
  get inEvent(): boolean {
    return this.#lineBytes > 0 || this.#eventBytes > 0;
  }

  /** The events that end in this piece. Throws EventTooLarge. */
  *feed(piece: Uint8Array): Generator<StreamEvent> {
    let begin = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      const isSecondHalf = byte === LINE_FEED && this.#afterReturn;
      this.#afterReturn = byte === CARRIAGE_RETURN;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
      const event = isSecondHalf ? null : this.#endLine(piece.subarray(begin, at));
      begin = at + 1;
      if (event) yield event;
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

  /** The event that ends with this line, if one does. */
  #endLine(piece: Uint8Array): StreamEvent | null {
    this.#hold(piece);
    const bytes = this.#lineBytes;
    const line = this.#decoder.decode(this.#line.subarray(0, bytes));
    this.#lineBytes = 0;
    if (this.#line.length > LINE_BYTES) this.#line = new Uint8Array(LINE_BYTES);
    const [, name = '', value = ''] =
      /^([^:]*)(?:: ?(.*))?$/s.exec(this.#firstLine ? line.replace(/^\uFEFF/, '') : line) ?? [];
    this.#firstLine = false;
    if (name !== '') this.#eventBytes += bytes;
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value || null;
    else if (name === 'id' && !value.includes('\0')) this.lastEventId = this.#id = value || null;
    else if (line === '') return this.#dispatch();
    return null;
  }

  #dispatch(): StreamEvent | null {
    const event = { event: this.#event, id: this.#id, data: this.#data.join('\n') };
    const isEvent = this.#data.length > 0;
    [this.#event, this.#id, this.#data, this.#eventBytes] = [null, null, [], 0];
    return isEvent ? event : null;
  }
}
