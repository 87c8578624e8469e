/** Helpers for every store of files on disk. */
import { open, statfs } from 'node:fs/promises';

/** Fsyncs a folder: without it a power cut may undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: null when the file or folder does not exist; every other error is thrown. */
export function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** How many bytes this process may still write to the disk of `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** How long the name of a part of a store is. */
export const SHARD_LENGTH = 3;
/** How many parts a store has. */
export const SHARDS = 16 ** SHARD_LENGTH;

/** The part of a store for `id`: its last characters, because the first ones are a time and would fill one at a time. */
export function shardOf(id: string): string {
  return id.slice(-SHARD_LENGTH);
}

/** The name of the part with this number, from 0 to `SHARDS` (exclusive). */
export function shardAt(number: number): string {
  return number.toString(16).padStart(SHARD_LENGTH, '0');
}
