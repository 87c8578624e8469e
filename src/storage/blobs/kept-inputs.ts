/**
 * The inputs of waiting orders beside a bucket: those that another process may have to run are in the bucket, and those
 * that end with their caller are spilled to a folder of this machine, which is nearer and costs nothing.
 */
import type { BlobStore } from './blob-store.ts';

/** Where the two kinds are. */
export interface KeptInputsOptions {
  readonly kept: BlobStore;
  readonly spilled: BlobStore;
  /** The orders whose inputs an earlier process kept. It grows and shrinks with those that are kept. */
  readonly keptIds: Set<string>;
}

/** Inputs by order id, each in its place. */
export class KeptInputs {
  readonly #options: KeptInputsOptions;

  constructor(options: KeptInputsOptions) {
    this.#options = options;
  }

  /** Into the bucket. Rejects with a Fault `unavailable`. */
  async putSafely(orderId: string, bytes: Uint8Array): Promise<void> {
    const { kept, keptIds } = this.#options;
    await kept.putSafely(orderId, bytes);
    keptIds.add(orderId);
  }

  /** Into the folder. Rejects with a Fault `unavailable`. */
  putGently(orderId: string, bytes: Uint8Array): Promise<void> {
    return this.#options.spilled.putGently(orderId, bytes);
  }

  /** Null when there is none. */
  get(orderId: string): Promise<Uint8Array | null> {
    return this.#placeOf(orderId).get(orderId);
  }

  /** No effect when there is none. */
  async delete(orderId: string): Promise<void> {
    await this.#placeOf(orderId).delete(orderId);
    this.#options.keptIds.delete(orderId);
  }

  #placeOf(orderId: string): BlobStore {
    const { kept, spilled, keptIds } = this.#options;
    return keptIds.has(orderId) ? kept : spilled;
  }
}
