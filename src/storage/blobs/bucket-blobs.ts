/** The blob store in a bucket: one object per blob, under the names that its files have in a folder. */
import { type BlobStore, orderOf } from './blob-store.ts';
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

  async put(name: string, blob: Uint8Array): Promise<void> {
    const key = this.#key(name);
    await this.#access.patiently(() => this.#bucket.put(key, blob));
  }

  async putSafely(name: string, blob: Uint8Array): Promise<void> {
    const key = this.#key(name);
    const remove = () => this.#bucket.delete(key);
    try {
      await this.#access.inTime(() => this.#bucket.put(key, blob), remove);
    } catch (error) {
      // A request whose answer is lost may have stored it. Objects that cannot be deleted even then are swept later.
      void this.#access.eventually(remove).catch(() => {});
      throw error;
    }
  }

  putLightly(name: string, blob: Uint8Array): Promise<void> {
    return this.putSafely(name, blob);
  }

  putGently(name: string, blob: Uint8Array): Promise<void> {
    return this.putSafely(name, blob);
  }

  async get(name: string): Promise<Uint8Array | null> {
    const key = this.#key(name);
    return this.#access.inTime(() => this.#bucket.get(key));
  }

  async has(name: string): Promise<boolean> {
    const key = this.#key(name);
    const { value: found } = await this.#bucket.list(key).next();
    return (found ?? []).some((object: { key: string }) => object.key === key);
  }

  async delete(name: string): Promise<void> {
    const key = this.#key(name);
    await this.#access.eventually(() => this.#bucket.delete(key));
  }

  async *list(): AsyncGenerator<string[]> {
    for await (const page of this.#bucket.list(`${this.#folder}/`)) {
      const names = page.map(({ key }) => blobNameIn(key)).filter((name) => name !== null);
      if (names.length > 0) yield names;
    }
  }

  #key(name: string): string {
    const orderId = orderOf(name);
    if (orderId === null) throw new Error('A blob is kept under the id of its order.');
    return `${this.#folder}/${shardOf(orderId)}/${name}`;
  }
}

/** The name of a blob by its key; null if it is no blob. */
export function blobNameIn(key: string): string | null {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return orderOf(name) === null ? null : name;
}
