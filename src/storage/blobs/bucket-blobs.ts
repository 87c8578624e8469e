/** The blob store in a bucket: one object per order, under the names that its files have in a folder. */
import { isUuid } from '#base/id.ts';
import type { BlobStore } from './blob-store.ts';
import type { Bucket } from './bucket.ts';
import { type DiskAccess, directAccess } from './disk-calls.ts';
import { shardOf } from './folders.ts';

/** Blobs in `folder` of `bucket`. S3 stores an object whole and safely, so all ways to put one are the same here. */
export class BucketBlobs implements BlobStore {
  readonly #bucket: Bucket;
  readonly #folder: string;
  readonly #access: DiskAccess;

  constructor(bucket: Bucket, folder: string, access: DiskAccess = directAccess) {
    this.#bucket = bucket;
    this.#folder = folder;
    this.#access = access;
  }

  async put(orderId: string, blob: Uint8Array): Promise<void> {
    const key = this.#key(orderId);
    await this.#access.patiently(() => this.#bucket.put(key, blob));
  }

  async putSafely(orderId: string, blob: Uint8Array): Promise<void> {
    const key = this.#key(orderId);
    const remove = () => this.#bucket.delete(key);
    try {
      await this.#access.inTime(() => this.#bucket.put(key, blob), remove);
    } catch (error) {
      // A request whose answer is lost may have stored it. What even then cannot be deleted is swept some day.
      void this.#access.eventually(remove).catch(() => {});
      throw error;
    }
  }

  putLightly(orderId: string, blob: Uint8Array): Promise<void> {
    return this.putSafely(orderId, blob);
  }

  putGently(orderId: string, blob: Uint8Array): Promise<void> {
    return this.putSafely(orderId, blob);
  }

  async get(orderId: string): Promise<Uint8Array | null> {
    const key = this.#key(orderId);
    return this.#access.inTime(() => this.#bucket.get(key));
  }

  async has(orderId: string): Promise<boolean> {
    const key = this.#key(orderId);
    const { value: found } = await this.#bucket.list(key).next();
    return (found ?? []).some((object: { key: string }) => object.key === key);
  }

  async delete(orderId: string): Promise<void> {
    const key = this.#key(orderId);
    await this.#access.eventually(() => this.#bucket.delete(key));
  }

  async *list(): AsyncGenerator<string[]> {
    for await (const page of this.#bucket.list(`${this.#folder}/`)) {
      const ids = page.map(({ key }) => blobIdIn(key)).filter((id) => id !== null);
      if (ids.length > 0) yield ids;
    }
  }

  #key(orderId: string): string {
    if (!isUuid(orderId)) throw new Error('A blob is kept under the id of its order.');
    return `${this.#folder}/${shardOf(orderId)}/${orderId}`;
  }
}

/** The order of an object; null for what is no blob. */
export function blobIdIn(key: string): string | null {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return isUuid(name) ? name : null;
}
