/** What every store of files on disk needs to know about folders. */
import { open } from 'node:fs/promises';

/** Brings the names in a folder to the disk: without it a power cut may undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Null for a file or folder that is not there; every other error is thrown. Give it to `catch`. */
export function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
