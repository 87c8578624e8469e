/**
 * Turns the bytes of a server-sent event stream into the text of its `data`. One decoder gets all bytes in order, so
 * characters and line ends may be split anywhere. The parser handles CRLF, comments, BOM and multi-line data.
 */
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { BackendFault, BackendRefusal, complaintOf } from './malformed.ts';

/** In UTF-16 units. An event may be long (a complete tool call), but must end. */
const EVENT_LENGTH_MAX = 16 * 1024 * 1024;

const CONTINUES = { stream: true };
const KEEPS_MARK = { ignoreBOM: true };

/** Reads one stream. `onData` is called for each event, in order. */
export class EventStreamReader {
  /** Null until a read ends within a character, or just after one of several bytes: a decoder is dear, and rare. */
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  readonly #parser: EventSourceParser;
  /** Lasts: such a parser reads no more. */
  #tooLong: BackendFault | null = null;
  /** The fault found in the bytes that are being read. */
  #fault: BackendFault | BackendRefusal | null = null;

  constructor(onData: (data: string) => void) {
    this.#parser = createParser({
      maxBufferSize: EVENT_LENGTH_MAX,
      onEvent: (event) => onData(event.data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooLong = new BackendFault('an event is too long');
        // llama.cpp has sent errors under their own field name.
        else if (error.field === 'error') {
          const complaint = complaintOf(error.value);
          const { message, overfull } = complaint;
          this.#fault = overfull ? new BackendRefusal(complaint) : new BackendFault('error in the stream', message);
        }
      },
    });
  }

  /** Takes the next bytes. Throws BackendFault on an endless event or an error field, and whatever `onData` throws. */
  feed(bytes: Buffer): void {
    if (this.#decoder === null && (bytes[bytes.length - 1] ?? 0) < 0x80) {
      this.#feed(bytes.toString());
      return;
    }
    // The parser removes a byte order mark, where one is.
    this.#decoder ??= new TextDecoder('utf-8', KEEPS_MARK);
    this.#feed(this.#decoder.decode(bytes, CONTINUES));
  }

  /** The stream has ended; an event without its last line end is emitted now. */
  end(): void {
    this.#feed(`${this.#decoder?.decode() ?? ''}\n\n`);
  }

  #feed(text: string): void {
    if (!this.#tooLong) this.#parser.feed(text);
    const fault = this.#tooLong ?? this.#fault;
    this.#fault = null;
    if (fault) throw fault;
  }
}
