/**
 * Takes over the files of a batch whose gateway died. The former gateway may only have been paused. When it wakes, it
 * may write a part again, over what the adopter has written since. So the adopter goes on in new files, with what was
 * committed.
 */
import type { IdSource } from '#base/id.ts';
import type { BatchRow } from './batch.ts';
import { type FileContents, newFileId } from './file.ts';

/** How much is copied at once. */
const PIECE_BYTES = 2 ** 20;

/** The batch with new files, which have the committed bytes of its former ones. Rejects when the disk does. */
export async function withOwnFiles(
  batch: BatchRow,
  { contents, ids }: { contents: Pick<FileContents, 'read' | 'append'>; ids: Pick<IdSource, 'uuid'> },
): Promise<BatchRow> {
  const [outputFileId, errorFileId] = [newFileId(ids), newFileId(ids)];
  await copy(contents, { from: batch.outputFileId, to: outputFileId, bytes: batch.sizes.outputBytes });
  await copy(contents, { from: batch.errorFileId, to: errorFileId, bytes: batch.sizes.errorBytes });
  return { ...batch, outputFileId, errorFileId };
}

async function copy(
  contents: Pick<FileContents, 'read' | 'append'>,
  { from, to, bytes }: { from: string; to: string; bytes: number },
): Promise<void> {
  let offset = 0;
  let piece: Uint8Array[] = [];
  let gathered = 0;
  const write = async () => {
    if (gathered === 0) return;
    await contents.append(to, offset, Buffer.concat(piece));
    offset += gathered;
    piece = [];
    gathered = 0;
  };
  if (bytes === 0) return;
  for await (const chunk of contents.read(from, { start: 0, end: bytes })) {
    piece.push(chunk);
    gathered += chunk.length;
    if (gathered >= PIECE_BYTES) await write();
  }
  await write();
  if (offset !== bytes) throw new Error(`${from} has ${offset} bytes where ${bytes} were committed`);
}
