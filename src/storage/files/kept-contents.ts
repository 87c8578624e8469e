/** What keeps the contents of files: a folder or a bucket. */
import type { FileContents } from '#batches/file.ts';

/** Contents, with what starts and commands need. */
export interface KeptContents extends FileContents {
  /** Whether there is content, even if empty. */
  has(fileId: string): Promise<boolean>;
  /** The ids of all contents, part by part. */
  list(): AsyncIterable<string[]>;
}
