/**
 * The lines that one account may have on their way: as many as may still wait, less those that are just being submitted.
 * Its batches share it, and one that finds no room waits until something ends. Spec 8: queued batch orders.
 */

/** The room for lines of one account. */
export class AccountLines {
  readonly #roomNow: () => number;
  #submitting = 0;
  #waiting: (() => void)[] = [];

  /** `roomNow` tells how many more lines may wait now. */
  constructor(roomNow: () => number) {
    this.#roomNow = roomNow;
  }

  /** Takes a place for a submission. False when there is none. */
  enter(): boolean {
    if (this.#roomNow() <= this.#submitting) return false;
    this.#submitting++;
    return true;
  }

  /** Gives the place back: the line waits by itself now, or came to nothing. */
  leave(): void {
    this.#submitting--;
    this.freed();
  }

  /** A line of the account may have stopped waiting: lets as many look again as there is room for. */
  freed(): void {
    if (this.#waiting.length === 0) return;
    const room = Math.max(0, this.#roomNow() - this.#submitting);
    for (const resolve of this.#waiting.splice(0, room)) resolve();
  }

  /** Resolves when it is worth looking again. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets everybody look again: a batch must not wait any longer. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
