/**
 * Memory for answers of megabytes, used again and again. In memory of its own each, a dozen of them would make the
 * collector run, which holds the event loop for as long as rendering one of them.
 */

/** Blocks of memory of one size. */
export class SpareMemory {
  readonly #bytes: number;
  readonly #spareMax: number;
  readonly #spare: Buffer<ArrayBuffer>[] = [];

  /** As many as `spareMax` blocks of `bytes` are kept; more may be in use, and are left to the collector afterwards. */
  constructor({ bytes, spareMax }: { bytes: number; spareMax: number }) {
    this.#bytes = bytes;
    this.#spareMax = spareMax;
  }

  /** A block whose content means nothing. */
  take(): Buffer<ArrayBuffer> {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  /** A block that was taken and that nobody reads any more. One that is never given back costs nothing but its reuse. */
  give(block: Buffer<ArrayBuffer>): void {
    if (this.#spare.length < this.#spareMax) this.#spare.push(block);
  }
}
