/**
 * Writes server-sent events. What is written within one turn of the event loop leaves as one chunk: tokens that arrive
 * together cost one system call, and none waits for the next turn.
 */
import type { ServerResponse } from 'node:http';
import type { StreamWriter } from '#handlers/call.ts';

/** The headers of every stream. The last one asks nginx not to collect the events. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A caller this far behind has stopped reading, and is cut off: the memory is needed for the others. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;

/** A stream on a response whose head was given but may not have left yet. */
export class EventStream implements StreamWriter {
  readonly #response: ServerResponse;
  #pending = '';
  #scheduled = false;
  #ended = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(text: string): boolean {
    if (this.#closed) return false;
    this.#pending += text;
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(() => this.flush());
    }
    return !this.#response.writableNeedDrain;
  }

  end(text = ''): void {
    if (this.#closed) return;
    this.#ended = true;
    this.#response.end(this.#pending + text);
    this.#pending = '';
  }

  /** Sends what is pending now, and the head in any case. */
  flush(): void {
    this.#scheduled = false;
    if (this.#closed) return;
    if (this.#pending === '') this.#response.flushHeaders();
    else this.#response.write(this.#pending);
    this.#pending = '';
    if (this.#response.writableLength > UNREAD_BYTES_MAX) this.#response.destroy();
  }

  get #closed(): boolean {
    return this.#ended || this.#response.destroyed;
  }
}
