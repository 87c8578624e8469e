/**
 * The contents of files in a bucket. An object cannot be appended to, so content is one or more parts: the first is
 * named by the id of the file, as in a folder, and each other by the id and the place where it begins. A part ends where
 * the next one begins, whatever it holds; so a part that is written again cuts off what a killed process left.
 */

import { type FileDraft, isFileId } from '#batches/file.ts';
import type { Bucket } from '../blobs/bucket.ts';
import { type DiskAccess, directAccess, fileStoreFault } from '../blobs/disk-calls.ts';
import { shardOf } from '../blobs/folders.ts';
import type { KeptContents } from './contents.ts';

const CHUNK_BYTES = 64 * 1024;
/** What a reader has in memory. Each is a request that ends: a slow reader keeps no connection. */
const WINDOW_BYTES = 4 * CHUNK_BYTES;
/** What an upload has in memory, and the size of its parts. */
const PART_BYTES = 1024 * 1024;
/** Small appends are joined, so that a long batch of short lines has few parts. */
const JOINED_BYTES_MAX = 256 * 1024;
const START_DIGITS = 15;

/** Contents in `folder` of `bucket`. */
export class BucketContents implements KeptContents {
  readonly #bucket: Bucket;
  readonly #folder: string;
  readonly #access: DiskAccess;

  constructor(bucket: Bucket, folder: string, access: DiskAccess = directAccess) {
    this.#bucket = bucket;
    this.#folder = folder;
    this.#access = access;
  }

  /** Makes no request: the parts are written under their names at once, and nobody knows the file before its row. */
  async draft(fileId: string): Promise<FileDraft> {
    this.#keyOf(fileId);
    const put = (start: number, bytes: Uint8Array) =>
      this.#access.inTime(() => this.#bucket.put(this.#keyOf(fileId, start), bytes));
    return new BucketDraft(put, () => this.delete(fileId));
  }

  async *read(fileId: string, range: { start?: number; end?: number } = {}): AsyncGenerator<Uint8Array> {
    const { start = 0, end = Number.MAX_SAFE_INTEGER } = range;
    for await (const part of this.#parts(fileId)) {
      if (part.start >= end) return;
      const until = Math.min(end, part.end);
      for (let at = Math.max(start, part.start); at < until; ) {
        const window = await this.#window(part, at, Math.min(at + WINDOW_BYTES, until));
        for (let from = 0; from < window.length; from += CHUNK_BYTES) yield window.subarray(from, from + CHUNK_BYTES);
        at += window.length;
      }
    }
  }

  async append(fileId: string, offset: number, bytes: Uint8Array): Promise<void> {
    const key = this.#keyOf(fileId);
    await this.#access.patiently(async () => {
      const parts = (await Array.fromAsync(this.#bucket.list(key))).flat().map(partOf);
      const last = parts.filter(({ start }) => start < offset).at(-1);
      if ((last?.end ?? 0) < offset)
        throw new Error(`${fileId} has ${last?.end ?? 0} bytes in the bucket where ${offset} were written.`);
      const joined = last && offset - last.start + bytes.length <= JOINED_BYTES_MAX ? last : null;
      const before = joined ? await this.#bucket.get(joined.key, { start: 0, end: offset - joined.start }) : null;
      // Deleted before the new part is written: otherwise they would be read behind it.
      for (const { key, start } of parts)
        if (start > offset || (joined && start === offset)) await this.#bucket.delete(key);
      if (joined && before) await this.#bucket.put(joined.key, Buffer.concat([before, bytes]));
      else await this.#bucket.put(this.#keyOf(fileId, offset), bytes);
    });
  }

  async delete(fileId: string): Promise<void> {
    const key = this.#keyOf(fileId);
    await this.#access.eventually(async () => {
      for await (const page of this.#bucket.list(key)) for (const part of page) await this.#bucket.delete(part.key);
    });
  }

  async has(fileId: string): Promise<boolean> {
    const { value: parts } = await this.#bucket.list(this.#keyOf(fileId)).next();
    return (parts ?? []).length > 0;
  }

  async *list(): AsyncGenerator<string[]> {
    let last = '';
    for await (const page of this.#bucket.list(`${this.#folder}/`)) {
      const ids = new Set(page.map(({ key }) => fileIdOf(key)).filter((id) => id !== null));
      // Parts of one file may be on two pages.
      ids.delete(last);
      last = [...ids].at(-1) ?? last;
      if (ids.size > 0) yield [...ids];
    }
  }

  /** In order, each ending where the next begins. Unavailable when there is none, or bytes between them are missing. */
  async *#parts(fileId: string): AsyncGenerator<Part> {
    const pages = this.#bucket.list(this.#keyOf(fileId));
    let before: Part | null = null;
    for (;;) {
      const page = await this.#access.inTime(() => pages.next());
      if (page.done) break;
      for (const part of page.value.map(partOf)) {
        if (part.start > (before?.end ?? 0)) throw missing(fileId);
        if (before) yield { ...before, end: part.start };
        before = part;
      }
    }
    if (!before) throw missing(fileId);
    yield before;
  }

  async #window({ key, start }: Part, from: number, to: number): Promise<Uint8Array> {
    const bytes = await this.#access.inTime(() => this.#bucket.get(key, { start: from - start, end: to - start }));
    if (!bytes || bytes.length === 0) throw missing(key);
    return bytes;
  }

  #keyOf(fileId: string, start = 0): string {
    if (!isFileId(fileId)) throw new Error('Content is kept under the id of its file.');
    const name = start === 0 ? fileId : `${fileId}_${String(start).padStart(START_DIGITS, '0')}`;
    return `${this.#folder}/${shardOf(fileId)}/${name}`;
  }
}

/** The file of an object; null if it is no content. */
export function fileIdOf(key: string): string | null {
  const [id = ''] = key.slice(key.lastIndexOf('/') + 1).split('_');
  return isFileId(id) ? id : null;
}

interface Part {
  readonly key: string;
  /** Where it is in the content; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

function partOf({ key, bytes }: { readonly key: string; readonly bytes: number }): Part {
  const [, start = '0'] = key.slice(key.lastIndexOf('/') + 1).split('_');
  return { key, start: Number(start), end: Number(start) + bytes };
}

function missing(what: string): Error {
  return fileStoreFault(new Error(`The bucket has not all of ${what}.`));
}

class BucketDraft implements FileDraft {
  readonly #put: (start: number, bytes: Uint8Array) => Promise<void>;
  readonly #delete: () => Promise<void>;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  /** Where the next part begins. */
  #start = 0;
  #tried = false;
  #ended = false;

  constructor(put: (start: number, bytes: Uint8Array) => Promise<void>, remove: () => Promise<void>) {
    this.#put = put;
    this.#delete = remove;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= PART_BYTES) await this.#flush();
  }

  async keep(): Promise<void> {
    if (this.#gatheredBytes > 0 || this.#start === 0) await this.#flush();
    this.#ended = true;
  }

  async abandon(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#gathered = [];
    // Objects that cannot be deleted now are swept later.
    if (this.#tried) await this.#delete().catch(() => {});
  }

  async #flush(): Promise<void> {
    this.#tried = true;
    const part = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    await this.#put(this.#start, part);
    this.#start += part.length;
  }
}
