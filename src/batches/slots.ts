/** How much of an input file is in hand at once: lines, and bytes of them. */

/** A bound on lines and on bytes. A line larger than all bytes is let in alone. */
export class Slots {
  readonly #linesMax: number;
  readonly #bytesMax: number;
  #lines = 0;
  #bytes = 0;
  #onFree: (() => void) | null = null;

  constructor({ linesMax, bytesMax }: { readonly linesMax: number; readonly bytesMax: number }) {
    this.#linesMax = linesMax;
    this.#bytesMax = bytesMax;
  }

  /** Resolves when there is a place. To be called by one at a time. */
  async take(bytes: number): Promise<void> {
    while (this.#lines > 0 && (this.#lines >= this.#linesMax || this.#bytes + bytes > this.#bytesMax)) {
      await this.#freed();
    }
    this.#lines++;
    this.#bytes += bytes;
  }

  /** Gives a place back. */
  give(bytes: number): void {
    this.#lines--;
    this.#bytes -= bytes;
    this.#onFree?.();
  }

  /** Resolves when nothing is in hand. */
  async empty(): Promise<void> {
    while (this.#lines > 0) await this.#freed();
  }

  #freed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFree = resolve;
    });
  }
}
