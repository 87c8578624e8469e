/**
 * Backpressure: how many lines one account may submit, as many as may still be queued less those just being submitted.
 * Its batches share it; a line that finds no room waits until something ends. Spec 8: queued batch orders.
 */

/** The room for lines of one account. */
export class AccountLines {
  readonly #roomNow: () => number;
  #submitting = 0;
  #waiting: (() => void)[] = [];

  /** `roomNow` returns how many more lines may be queued now. */
  constructor(roomNow: () => number) {
    this.#roomNow = roomNow;
  }

  /** Takes a place for a submission. False when there is none. */
  enter(): boolean {
    if (this.#roomNow() <= this.#submitting) return false;
    this.#submitting++;
    return true;
  }

  /** Gives the place back: the line is queued and counted elsewhere now, or became no order. */
  leave(): void {
    this.#submitting--;
    this.freed();
  }

  /** A line of the account may have left the queue: wakes as many as there is room for. */
  freed(): void {
    if (this.#waiting.length === 0) return;
    const room = Math.max(0, this.#roomNow() - this.#submitting);
    for (const resolve of this.#waiting.splice(0, room)) resolve();
  }

  /** Resolves when it is worth trying again. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Wakes all of them: a batch must not wait any longer. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
