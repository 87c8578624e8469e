/** Result blobs in memory instead of a folder. */
import type { ResultBlobs } from '#storage/results/store.ts';

/** Blobs by order id. */
export class MemoryBlobs implements ResultBlobs {
  readonly blobs = new Map<string, Uint8Array>();

  async put(orderId: string, blob: Uint8Array): Promise<void> {
    this.blobs.set(orderId, Uint8Array.from(blob));
  }
  async putLightly(orderId: string, blob: Uint8Array): Promise<void> {
    this.blobs.set(orderId, Uint8Array.from(blob));
  }
  async putSafely(orderId: string, blob: Uint8Array): Promise<void> {
    this.blobs.set(orderId, Uint8Array.from(blob));
  }
  async putGently(orderId: string, blob: Uint8Array): Promise<void> {
    this.blobs.set(orderId, Uint8Array.from(blob));
  }
  async get(orderId: string): Promise<Uint8Array | null> {
    return this.blobs.get(orderId) ?? null;
  }
  async delete(orderId: string): Promise<void> {
    this.blobs.delete(orderId);
  }
}
