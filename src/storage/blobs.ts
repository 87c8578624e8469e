/**
 * Large bodies as files in a folder: one file per order, in 4,096 folders by the last characters of its id (the first
 * ones are a time and would fill one folder at a time). A body is whole or absent: it is written beside its place,
 * brought to the disk and renamed, and the rename is brought to the disk too before `put` resolves.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid, secretText } from '#base/id.ts';
import { nullWhenMissing, syncFolder } from './folders.ts';

const SHARD_LENGTH = 3;
const WRITING = /\.tmp$/;

/** Bodies in a folder. Errors of the disk (full, read-only) are rejections; trying again is safe. */
export class FolderBlobs {
  readonly #folder: string;
  /** Shards that are there; at most 4,096. */
  readonly #made = new Set<string>();

  /** `folder` is made when the first body is written. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when the body survives a power cut. A body that was there is replaced. */
  async put(orderId: string, body: Uint8Array): Promise<void> {
    const { folder, path } = this.#place(orderId);
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${secretText(8)}.tmp`;
    try {
      const file = await open(draft, 'wx');
      try {
        await file.writeFile(body);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  /**
   * The same without bringing it to the disk: after a power cut the body may be missing or cut off, which its reader
   * takes for a lost one. Not to be used twice for one order at the same time.
   */
  async putLightly(orderId: string, body: Uint8Array): Promise<void> {
    const { folder, path } = this.#place(orderId);
    if (!this.#made.has(folder)) await mkdir(folder, { recursive: true });
    this.#made.add(folder);
    await writeFile(path, body);
  }

  /** The body; null when none is kept. */
  async get(orderId: string): Promise<Uint8Array | null> {
    return readFile(this.#place(orderId).path).catch(nullWhenMissing);
  }

  /** Whether a body is kept. */
  async has(orderId: string): Promise<boolean> {
    const found = await stat(this.#place(orderId).path).catch(nullWhenMissing);
    return found !== null;
  }

  /** Forgets a body; harmless when there is none. */
  async delete(orderId: string): Promise<void> {
    await rm(this.#place(orderId).path, { force: true });
  }

  /** The ids of all kept bodies, folder by folder, each part sorted. Files that are being written are left out. */
  async *list(): AsyncGenerator<string[]> {
    for (const shard of await this.#shards()) {
      const names = await readdir(join(this.#folder, shard)).catch(nullWhenMissing);
      const ids = (names ?? []).filter(isUuid).sort();
      if (ids.length > 0) yield ids;
    }
  }

  /** Removes drafts that a killed process left behind; only before this process writes any. */
  async sweepDrafts(): Promise<void> {
    for (const shard of await this.#shards()) {
      const names = (await readdir(join(this.#folder, shard)).catch(nullWhenMissing)) ?? [];
      for (const name of names) if (WRITING.test(name)) await rm(join(this.#folder, shard, name), { force: true });
    }
  }

  async #shards(): Promise<string[]> {
    const names = (await readdir(this.#folder).catch(nullWhenMissing)) ?? [];
    return names.filter((name) => name.length === SHARD_LENGTH).sort();
  }

  #place(orderId: string): { folder: string; path: string } {
    // Ids become file names: nothing but an id may.
    if (!isUuid(orderId)) throw new Error('A body is kept under the id of its order.');
    const folder = join(this.#folder, orderId.slice(-SHARD_LENGTH));
    return { folder, path: join(folder, orderId) };
  }
}
