/** Limits the open market streams per address. They cost little, but every open connection costs something. Spec 8. */
import { Fault } from '#base/fault.ts';

/** Counts open streams by address; an address without any takes no memory. */
export class StreamSlots {
  readonly #max: () => number;
  readonly #open = new Map<string, number>();

  /** `max` is asked anew each time. */
  constructor(max: number | (() => number)) {
    this.#max = typeof max === 'number' ? () => max : max;
  }

  /**
   * Takes a slot. Returns the function that releases it; further calls have no effect. Throws rate_limit_error without
   * Retry-After, because nobody knows when the address closes a stream.
   */
  take(address: string): () => void {
    const [open, max] = [this.#open.get(address) ?? 0, this.#max()];
    if (open >= max) {
      throw new Fault('rate_limit_error', {
        message: `This address already has ${max} open market streams. Close one first.`,
      });
    }
    this.#open.set(address, open + 1);
    let held = true;
    return () => {
      if (held) this.#giveBack(address);
      held = false;
    };
  }

  #giveBack(address: string): void {
    const left = (this.#open.get(address) ?? 1) - 1;
    if (left > 0) this.#open.set(address, left);
    else this.#open.delete(address);
  }
}
