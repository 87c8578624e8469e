/**
 * Reads large bodies a piece at a time. A socket whose sender is fast has megabytes ready, and Node reads all of it, of
 * every socket, before it turns to anybody else: a few hundred such requests, refused at once, stopped the gateway for a
 * third of a second.
 */
import type { IncomingMessage } from 'node:http';

/** A piece has up to 64 KiB, and takes some 20 µs. */
const PIECES_PER_TURN = 4;

/** A line of requests, of which a few are read in each turn of the event loop. */
export class PacedReading {
  readonly #paused: IncomingMessage[] = [];

  /** Call it with each piece: the next one comes when it is the request's turn again. */
  pause(request: IncomingMessage): void {
    request.pause();
    if (this.#paused.push(request) === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    for (const request of this.#paused.splice(0, PIECES_PER_TURN)) request.resume();
    if (this.#paused.length > 0) setImmediate(() => this.#turn());
  }
}
