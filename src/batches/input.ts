/** Reads the input of a batch from its start. It may be gone: batches stop owners from deleting it, not operators. */
import { Fault } from '#base/fault.ts';
import type { BatchRow } from './batch.ts';
import type { FileContents, FileStore } from './file-ports.ts';

/** Where inputs are read. */
export interface InputOptions {
  readonly files: Pick<FileStore, 'find'>;
  readonly contents: Pick<FileContents, 'read'>;
}

/** The content no longer exists. Content that cannot be read at the moment is a Fault `unavailable` instead. */
export class InputGone extends Error {
  constructor() {
    super('The input file is gone; upload it again.');
    this.name = 'InputGone';
  }
}

/** The content of the batch's input, in chunks. Throws InputGone. */
export async function* inputOf(
  { accountId, inputFileId }: BatchRow,
  { files, contents }: InputOptions,
): AsyncGenerator<Uint8Array> {
  const file = await files.find(accountId, inputFileId);
  if (!file || file.contentGone) throw new InputGone();
  try {
    yield* contents.read(inputFileId);
  } catch (error) {
    throw isMissing(error) ? new InputGone() : error;
  }
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
