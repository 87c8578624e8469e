/**
 * Writes server-sent events. Handing a few bytes to a socket costs more than all else that is done for a token, so what
 * comes close together leaves together: a stream that has been silent writes at once, and one that has just written
 * waits a few milliseconds for company. Tokens that come more slowly than that are never held back.
 */
import type { ServerResponse } from 'node:http';
import { systemClock } from '#base/clock.ts';
import { Pulse } from '#base/pulse.ts';
import type { StreamWriter } from '#handlers/call.ts';

/** The headers of every stream. The last one asks nginx not to collect the events. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A caller this far behind has stopped reading, and is cut off: the memory is needed for the others. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** How long words may wait for those that follow them. */
const GATHER_MS = 4;
/** In such times: how long what is held may wait for what is written next. */
const HOLD_GATHERS = 5;
/** In UTF-16 units: so much needs no company. */
const GATHERED_MAX = 64 * 1024;

/** By the machine's clock, whatever clock a test moves: nobody but a socket can tell how bytes were gathered. */
const sharedPulse = new Pulse(systemClock, GATHER_MS);

/** A stream on a response whose head was given but has not left yet. */
export class EventStream implements StreamWriter {
  readonly #response: ServerResponse;
  readonly #pulse: Pulse;
  #headLeft = false;
  #pending = '';
  /** Whether `#pending` is about to leave, at the end of this turn. */
  #leaving = false;
  /** Whether the pulse is about to call. */
  #gathering = false;
  /** How often the pulse is yet to be let pass by. */
  #patience = 0;
  #ended = false;

  /** The head is held. */
  constructor(response: ServerResponse, pulse = sharedPulse) {
    this.#response = response;
    this.#pulse = pulse;
    this.hold('');
  }

  write(text: string): boolean {
    if (this.#closed) return false;
    this.#pending += text;
    if (this.#pending.length > GATHERED_MAX) this.#flush();
    else if (this.#patience > 0 || !this.#gathering) this.#leave();
    return !this.#response.writableNeedDrain;
  }

  hold(text: string): void {
    if (this.#closed) return;
    this.#pending += text;
    this.#patience = HOLD_GATHERS;
    if (this.#pending.length > GATHERED_MAX) this.#flush();
    else this.#gather();
  }

  end(text = ''): void {
    if (this.#closed) return;
    this.#ended = true;
    this.#response.end(this.#pending + text);
    this.#pending = '';
  }

  onPulse(): void {
    this.#gathering = false;
    if (this.#patience > 0) this.#patience--;
    if (this.#patience > 0) this.#gather();
    else this.#flush();
  }

  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    process.nextTick(() => {
      this.#leaving = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#closed || (this.#headLeft && this.#pending === '')) return;
    if (this.#pending === '') this.#response.flushHeaders();
    else this.#response.write(this.#pending);
    this.#headLeft = true;
    this.#pending = '';
    this.#patience = 0;
    if (this.#response.writableLength > UNREAD_BYTES_MAX) this.#response.destroy();
    else this.#gather();
  }

  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#pulse.join(this);
  }

  get #closed(): boolean {
    return this.#ended || this.#response.destroyed;
  }
}
