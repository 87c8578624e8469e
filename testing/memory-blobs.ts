/** A folder of bodies that is none: they stay in memory. */
import type { BodyFiles } from '#storage/stored-answers.ts';

/** Bodies by order id. */
export class MemoryBlobs implements BodyFiles {
  readonly bodies = new Map<string, Uint8Array>();

  async put(orderId: string, body: Uint8Array): Promise<void> {
    this.bodies.set(orderId, body);
  }
  async putLightly(orderId: string, body: Uint8Array): Promise<void> {
    this.bodies.set(orderId, body);
  }
  async get(orderId: string): Promise<Uint8Array | null> {
    return this.bodies.get(orderId) ?? null;
  }
  async delete(orderId: string): Promise<void> {
    this.bodies.delete(orderId);
  }
}
