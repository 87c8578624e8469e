/**
 * A shared timer that coalesces writes: whoever joins within a short delay is flushed together with the others. The
 * flush runs after the input that arrived during the delay was read. Before it, a busy process would coalesce nothing.
 */
import type { Clock } from './clock.ts';

/** Something that can be flushed. */
interface Flushable {
  /** Called once after each `join`. It may join again from inside this call. */
  onFlush(): void;
}

/** The flushes per turn of the event loop. Each may write to a socket, which takes about 20 µs. */
const SLICE = 128;

/** One timer for all members. */
export class FlushTimer {
  readonly #clock: Clock;
  readonly #waitMs: number;
  #members: Flushable[] = [];

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Calls `member` once, at most `waitMs` and the then current turn of the event loop later. */
  join(member: Flushable): void {
    if (this.#members.push(member) === 1) this.#clock.after(this.#waitMs, () => setImmediate(() => this.#flushAll()));
  }

  #flushAll(): void {
    const members = this.#members;
    this.#members = [];
    this.#flushSlice(members, 0);
  }

  #flushSlice(members: readonly Flushable[], from: number): void {
    const end = Math.min(members.length, from + SLICE);
    for (let index = from; index < end; index++) members[index]?.onFlush();
    if (end < members.length) setImmediate(() => this.#flushSlice(members, end));
  }
}
