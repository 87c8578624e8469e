/** How many market streams each address holds open. They cost little, but an open connection is never nothing. Spec 8. */
import { Fault } from '#base/fault.ts';

/** Counts open streams by address; an address without any is not kept. */
export class StreamSlots {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a slot; the answer gives it back, once however often it is called. Throws rate_limit_error without a time to
   * try again: nobody knows when the address closes one of its own.
   */
  take(address: string): () => void {
    const open = this.#open.get(address) ?? 0;
    if (open >= this.#max) {
      throw new Fault('rate_limit_error', {
        message: `This address has ${this.#max} market streams open already. Close one first.`,
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
