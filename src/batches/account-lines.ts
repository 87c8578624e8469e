/**
 * Backpressure: how many lines one account may submit, as many as may still be queued less those just being submitted.
 * Its batches share it; a line that finds no room waits until something ends. Spec 8: queued batch orders.
 */

/** A line that waits for room: woken while more than `kept` places are free. */
interface Waiting {
  readonly kept: () => number;
  readonly wake: () => void;
}

/** The room for lines of one account. */
export class AccountLines {
  readonly #roomNow: () => number;
  #submitting = 0;
  #waiting: Waiting[] = [];

  /** `roomNow` returns how many more lines may be queued now. */
  constructor(roomNow: () => number) {
    this.#roomNow = roomNow;
  }

  /** The number of free places; below 1 for none. */
  get free(): number {
    return this.#roomNow() - this.#submitting;
  }

  /** Takes a place for a submission. False when there is none, or when no more than `kept` are free. */
  enter(kept = 0): boolean {
    if (this.free < 1 || this.free <= kept) return false;
    this.#submitting++;
    return true;
  }

  /** Gives the place back: the line is queued and counted elsewhere now, or became no order. */
  leave(): void {
    this.#submitting--;
    this.freed();
  }

  /** A line of the account may have left the queue: wakes as many as there is room for, first come, first served. */
  freed(): void {
    if (this.#waiting.length === 0) return;
    let room = this.free;
    if (room < 1) return;
    const left: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (room < 1 || room <= waiting.kept()) left.push(waiting);
      else {
        room--;
        waiting.wake();
      }
    }
    this.#waiting = left;
  }

  /** Resolves when it is worth trying again for a line that leaves this many places free. */
  changed(kept: () => number = () => 0): Promise<void> {
    return new Promise((wake) => this.#waiting.push({ kept, wake }));
  }

  /** Wakes all of them: a batch must not wait any longer. */
  wake(): void {
    for (const { wake } of this.#waiting.splice(0)) wake();
  }
}
