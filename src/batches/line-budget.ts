/** Limits how much of an input file is in memory at once: lines, and bytes of them. */

/** A limit on lines and on bytes. A line larger than the limit on bytes is taken alone. */
export class LineBudget {
  readonly #linesMax: number;
  readonly #bytesMax: number;
  #lines = 0;
  #bytes = 0;
  #onFree: (() => void) | null = null;

  constructor({ linesMax, bytesMax }: { readonly linesMax: number; readonly bytesMax: number }) {
    this.#linesMax = linesMax;
    this.#bytesMax = bytesMax;
  }

  /** Resolves when there is room. For one caller at a time. */
  async take(bytes: number): Promise<void> {
    while (this.#lines > 0 && (this.#lines >= this.#linesMax || this.#bytes + bytes > this.#bytesMax)) {
      await this.#freed();
    }
    this.#lines++;
    this.#bytes += bytes;
  }

  /** Gives the room of one line back. */
  give(bytes: number): void {
    this.#lines--;
    this.#bytes -= bytes;
    this.#onFree?.();
  }

  /** Resolves when every line has been given back. */
  async empty(): Promise<void> {
    while (this.#lines > 0) await this.#freed();
  }

  #freed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFree = resolve;
    });
  }
}
