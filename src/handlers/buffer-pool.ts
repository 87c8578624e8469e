/**
 * Reused memory for responses of megabytes. If each had memory of its own, a dozen of them would start the garbage
 * collector, which blocks the event loop for as long as rendering one response takes.
 */

/** Buffers of one size. */
export class BufferPool {
  readonly #bytes: number;
  readonly #spareMax: number;
  readonly #spare: Buffer<ArrayBuffer>[] = [];

  /** Keeps up to `spareMax` unused buffers of `bytes`. More may be in use; they are garbage afterwards. */
  constructor({ bytes, spareMax }: { bytes: number; spareMax: number }) {
    this.#bytes = bytes;
    this.#spareMax = spareMax;
  }

  /** A buffer with arbitrary content. */
  take(): Buffer<ArrayBuffer> {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  /** Returns a buffer that nothing reads any more. One that is never returned is only not reused. */
  give(block: Buffer<ArrayBuffer>): void {
    if (this.#spare.length < this.#spareMax) this.#spare.push(block);
  }
}
