/**
 * Holds back what goes to other gateways while something that they must not act before is still being written: an
 * admission on another gateway must never commit before the level that it names. Order is kept.
 */

/** A queue of sends behind pending writes. */
export class AfterCommit {
  readonly #queue: ((() => void) | { isOpen: boolean })[] = [];

  /** Sends at once, or when everything has committed that was being written before. */
  send(send: () => void): void {
    if (this.#queue.length === 0) send();
    else this.#queue.push(send);
  }

  /** What is sent from now on waits until `committed` is true; forever when it is not. It never rejects. */
  wait(committed: Promise<boolean>): void {
    const bar = { isOpen: false };
    this.#queue.push(bar);
    void committed.then((isCommitted) => {
      bar.isOpen = isCommitted;
      this.#flush();
    });
  }

  #flush(): void {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (typeof first === 'function') first();
      else if (!first.isOpen) return;
      this.#queue.shift();
    }
  }
}
