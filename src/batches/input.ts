/** The input of a batch, read from its beginning. It may be gone: batches keep owners from deleting it, not operators. */
import { Fault } from '#base/fault.ts';
import type { BatchRow } from './batch.ts';
import type { FileContents, FileStore } from './file-ports.ts';

/** Where inputs are. */
export interface InputParts {
  readonly files: Pick<FileStore, 'find'>;
  readonly contents: Pick<FileContents, 'read'>;
}

/** There is no content any more. What cannot be read at the moment is a Fault `unavailable` instead. */
export class InputGone extends Error {
  constructor() {
    super('The input file is gone.');
    this.name = 'InputGone';
  }
}

/** The content of the batch's input, in chunks. Throws InputGone. */
export async function* inputOf(
  { accountId, inputFileId }: BatchRow,
  { files, contents }: InputParts,
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
