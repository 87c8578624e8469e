/**
 * Reads a followed order as a stream. Events that the caller has are left out, the others follow at its pace, and
 * comments fill the silence. The reader keeps nothing but its place and its encoder.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { NumberedStream } from '#adapters/common/numbered-stream.ts';
import type { Clock } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { FollowedOrder, StreamPage } from '#orders/order-stream.ts';
import { batchesOf } from '#results/event-log.ts';

/** How long a stream may be silent before a keepalive is written. */
export const KEEPALIVE_MS = 10_000;
/** Pages that are rendered before others have their turn. */
const PAGES_PER_TURN = 8;
const RETRY_S = 1;

/** One follower of an order. */
export class StreamReader {
  readonly #source: FollowedOrder;
  readonly #stream: NumberedStream;
  #from = 0;
  #pages = 0;
  #ended = false;

  constructor(source: FollowedOrder, stream: NumberedStream) {
    this.#source = source;
    this.#stream = stream;
  }

  /**
   * Goes to the first event after number `after`. Throws invalid_request when that number is of no event so far, and
   * unavailable when the order cannot be read here. Resolves with the frames that are next.
   */
  async position(after: number, param: string): Promise<string> {
    let text = this.#stream.open();
    while (this.#stream.count <= after && !this.#ended) {
      const page = await this.#source.next(this.#from, false);
      if (page.entries.length === 0 && !page.end) break;
      text += await this.#render(page);
    }
    if (this.#stream.count > after) return text;
    const message = `${param} is ${after}, and the last event so far has the number ${this.#stream.count - 1}.`;
    throw invalidRequest(param, message);
  }

  /** The next frames, '' for a page of events without any; null after the end. Throws unavailable when it is cut. */
  async next(): Promise<string | null> {
    return this.#ended ? null : this.#render(await this.#source.next(this.#from, true));
  }

  /** Whether the frames so far are all. */
  get ended(): boolean {
    return this.#ended;
  }

  pulse(): string {
    return this.#stream.pulse();
  }

  close(): void {
    this.#source.close();
  }

  async #render({ entries, end }: StreamPage): Promise<string> {
    if (end === 'cut') throw new Fault('unavailable', { retryAfterS: RETRY_S });
    this.#from += entries.length;
    let text = '';
    for (const batch of batchesOf(entries))
      text += batch === 'progress' ? this.#stream.progress() : this.#stream.events(batch);
    if (++this.#pages % PAGES_PER_TURN === 0) await yieldToOthers();
    if (!end) return text;
    this.#ended = true;
    return text + this.#stream.ended(end);
  }
}

/** The frames from `first` on, then a keepalive at once and after every ten silent seconds. Closes the reader. */
export async function* framesOf(reader: StreamReader, first: string, clock: Clock): AsyncGenerator<string> {
  try {
    // If the caller has everything, the stream is a comment.
    yield reader.ended && first !== '' ? first : first + reader.pulse();
    for (let next = reader.next(); ; next = reader.next()) {
      const text = yield* patiently(next, reader, clock);
      if (text === null) return;
      if (text !== '') yield text;
    }
  } finally {
    reader.close();
  }
}

const SILENT = Symbol('silent');

/** Yields keepalives until the text is there. */
async function* patiently(next: Promise<string | null>, reader: StreamReader, clock: Clock) {
  for (;;) {
    const silence = Promise.withResolvers<typeof SILENT>();
    const timer = clock.after(KEEPALIVE_MS, () => silence.resolve(SILENT));
    try {
      const text = await Promise.race([next, silence.promise]);
      if (text !== SILENT) return text;
    } finally {
      timer.cancel();
    }
    yield reader.pulse();
  }
}
