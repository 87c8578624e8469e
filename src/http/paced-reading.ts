/**
 * Reads large bodies a piece at a time. A socket whose sender is fast has megabytes ready, and Node reads all of it, of
 * every socket, before it turns to anybody else: a few hundred such requests, refused at once, stopped the gateway for a
 * third of a second. A piece has up to 64 KiB and takes some 50 µs, most of it in the kernel, so even one a turn of the
 * event loop is hundreds of megabytes a second while nobody else has work.
 */
import type { IncomingMessage } from 'node:http';

/** A line of requests, of which one is read in each turn of the event loop. */
export class PacedReading {
  readonly #paused: IncomingMessage[] = [];

  /** Call it with each piece: the next one comes when it is the request's turn again. */
  pause(request: IncomingMessage): void {
    request.pause();
    if (this.#paused.push(request) === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#paused.shift()?.resume();
    if (this.#paused.length > 0) setImmediate(() => this.#turn());
  }
}
