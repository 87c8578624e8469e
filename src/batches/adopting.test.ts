/** The files of a batch whose gateway died: the adopter's are its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idSource } from '#base/id.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { MemoryContents } from '#testing/memory-contents.ts';
import { withOwnFiles } from './adopting.ts';
import type { BatchRow } from './batch.ts';

const ids = idSource(new ManualClock());
const batchOf = (outputBytes: number, errorBytes: number) =>
  ({ outputFileId: 'file-out', errorFileId: 'file-err', sizes: { outputBytes, errorBytes } }) as BatchRow;

async function textOf(contents: MemoryContents, fileId: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(contents.read(fileId))).toString();
}

test('new files have what was committed and not what was only written, and the former gateway reaches them no more', async () => {
  const contents = new MemoryContents();
  await contents.append('file-out', 0, Buffer.from('one\ntwo\nnever committed\n'));
  await contents.append('file-err', 0, Buffer.from('bad\n'));
  const adopted = await withOwnFiles(batchOf(8, 4), { contents, ids });
  assert.equal(await textOf(contents, adopted.outputFileId), 'one\ntwo\n');
  assert.equal(await textOf(contents, adopted.errorFileId), 'bad\n');
  await contents.append(adopted.outputFileId, 8, Buffer.from('three\n'));
  // The one that was paused writes its part once more.
  await contents.append('file-out', 0, Buffer.from('one\n'));
  assert.equal(await textOf(contents, adopted.outputFileId), 'one\ntwo\nthree\n');
});

test('a file larger than a piece is copied whole', async () => {
  const contents = new MemoryContents();
  const large = Buffer.alloc(2.5 * 2 ** 20, 'x');
  await contents.append('file-out', 0, large);
  const adopted = await withOwnFiles(batchOf(large.length, 0), { contents, ids });
  assert.equal((await textOf(contents, adopted.outputFileId)).length, large.length);
});

test('an empty file is not read, and one that is too short is no file to go on with', async () => {
  const contents = new MemoryContents();
  await withOwnFiles(batchOf(0, 0), { contents, ids });
  await contents.append('file-out', 0, Buffer.from('one\n'));
  await assert.rejects(withOwnFiles(batchOf(8, 0), { contents, ids }));
});
