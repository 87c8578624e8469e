/**
 * Things that wait a moment for company, so that what they have to do is done together. A newcomer's trap: the moment
 * ends after the input that has arrived meanwhile was taken, not before it, or a busy process would gather nothing.
 */
import type { Clock } from './clock.ts';

/** Who waits. */
export interface Waiting {
  /** Its moment is over; it may join again from inside this call. */
  onPulse(): void;
}

/** So many are called in one turn of the event loop: what they do may be writing to a socket, some 20 µs each. */
const SLICE = 128;

/** One timer for all who wait. */
export class Pulse {
  readonly #clock: Clock;
  readonly #waitMs: number;
  #waiting: Waiting[] = [];

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Calls `member` once, after at most `waitMs` and the turn of the event loop that is under way then. */
  join(member: Waiting): void {
    if (this.#waiting.push(member) === 1) this.#clock.after(this.#waitMs, () => setImmediate(() => this.#tellAll()));
  }

  #tellAll(): void {
    const members = this.#waiting;
    this.#waiting = [];
    this.#tell(members, 0);
  }

  #tell(members: readonly Waiting[], from: number): void {
    const end = Math.min(members.length, from + SLICE);
    for (let index = from; index < end; index++) members[index]?.onPulse();
    if (end < members.length) setImmediate(() => this.#tell(members, end));
  }
}
