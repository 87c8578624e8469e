/**
 * From the bytes of a server-sent event stream to the text of its `data`. One decoder sees all bytes of a stream in
 * order, so letters and line ends may be cut anywhere; the parser knows CRLF, comments, BOM and data of many lines.
 */
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { BackendFault } from './malformed.ts';

/** One chunk of a chat stream may be long (a whole tool call), but not endless: in UTF-16 units. */
const EVENT_LENGTH_MAX = 16 * 1024 * 1024;

const CONTINUES = { stream: true };

/** Reads one stream. `onData` is called for each event, in order. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #fault: BackendFault | null = null;

  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: EVENT_LENGTH_MAX,
      onEvent: (event) => onData(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#fault = new BackendFault('an event is too long');
        // llama.cpp has sent errors under a field name of their own.
        else if (error.field === 'error') this.#fault = new BackendFault(`error in the stream: ${error.value}`);
      },
    });
  }

  /** Takes the next bytes. Throws BackendFault on an event without end, or whatever `onData` throws. */
  feed(bytes: Buffer): void {
    this.#feed(this.#decoder.decode(bytes, CONTINUES));
  }

  /** No more comes: an event that lacks its last line end is told now. */
  end(): void {
    this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): void {
    this.#parser.feed(text);
    if (this.#fault) throw this.#fault;
  }
}
