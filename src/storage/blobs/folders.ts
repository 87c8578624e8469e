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
