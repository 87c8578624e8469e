/** Whether a gateway closes, and which orders may still wait in it. */
import type { LiveOrder } from './live-order.ts';

/** The drain of an order service. */
export class Drain {
  #begun = false;
  #callersMayWait = false;

  /** Whether nothing new is taken. */
  get begun(): boolean {
    return this.#begun;
  }

  /** With `callersMayWait` orders stay queued while their callers wait: the markets go on without this gateway. */
  begin(callersMayWait: boolean): void {
    this.#begun = true;
    this.#callersMayWait = callersMayWait;
  }

  /** Whether a queued order may no longer wait here. */
  turnsAway({ detached, callerLeft, row }: LiveOrder): boolean {
    const isAwaited = !detached && !callerLeft && row.batchId === null;
    return this.#begun && !(this.#callersMayWait && isAwaited);
  }
}
