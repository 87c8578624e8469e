/** Contents of files in a folder. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { newFileId } from '#batches/file.ts';
import { FolderContents } from './contents.ts';

const ids = idSource(new ManualClock());
const bytes = (text: string) => new TextEncoder().encode(text);
const isUnavailable = (error: unknown) =>
  error instanceof Fault && error.code === 'unavailable' && (error.retryAfterS ?? 0) > 0;

describe('file contents in a folder', () => {
  let root: string;
  let folder: string;
  let contents: FolderContents;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'sluice-files-'));
    folder = join(root, 'files');
    contents = new FolderContents(folder);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const placeOf = (id: string) => join(folder, id.slice(-3), id);
  async function read(id: string, range: { start?: number; end?: number } = {}): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of contents.read(id, range)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }
  async function upload(text: string): Promise<string> {
    const [id, draft] = [newFileId(ids), await contents.draft()];
    await draft.write(bytes(text));
    await draft.keep(id);
    return id;
  }

  test('what was written to a draft can be read whole or in part', async () => {
    const [id, draft] = [newFileId(ids), await contents.draft()];
    for (const part of ['one\n', '', 'two\n']) await draft.write(bytes(part));
    await draft.keep(id);
    assert.equal(await read(id), 'one\ntwo\n');
    assert.equal(await read(id, { start: 4 }), 'two\n');
    assert.equal(await read(id, { start: 2, end: 6 }), 'e\ntw');
    assert.equal(await read(id, { end: 0 }), '');
    assert.equal(await read(id, { start: 99 }), '');
    assert.deepEqual(await readdir(join(folder, 'drafts')), []);
  });

  test('an empty draft is an empty file', async () => {
    const [id, draft] = [newFileId(ids), await contents.draft()];
    await draft.keep(id);
    assert.equal(await read(id), '');
    assert.equal(await contents.has(id), true);
  });

  test('large content comes in chunks of 64 KiB at most', async () => {
    const id = await upload('x'.repeat(200_000));
    const sizes: number[] = [];
    for await (const chunk of contents.read(id)) sizes.push(chunk.length);
    assert.deepEqual(sizes, [65_536, 65_536, 65_536, 200_000 - 3 * 65_536]);
  });

  test('an abandoned draft leaves nothing, also when it is abandoned twice or after it was kept', async () => {
    const draft = await contents.draft();
    await draft.write(bytes('half'));
    await draft.abandon();
    await draft.abandon();
    assert.deepEqual(await readdir(join(folder, 'drafts')), []);
    const [id, kept] = [newFileId(ids), await contents.draft()];
    await kept.keep(id);
    await kept.abandon();
    assert.equal(await contents.has(id), true);
  });

  test('drafts that a killed process left are swept, and contents are not', async () => {
    const id = await upload('kept');
    await writeFile(join(folder, 'drafts', 'left-over'), 'half');
    await contents.sweepDrafts();
    await new FolderContents(join(root, 'never-made')).sweepDrafts();
    assert.deepEqual(await readdir(folder), [id.slice(-3)]);
    assert.equal(await read(id), 'kept');
  });

  test('appending continues at the last commit, whatever a killed process wrote after it', async () => {
    const id = newFileId(ids);
    await contents.append(id, 0, bytes('one\n'));
    await contents.append(id, 4, bytes('two\nnever committed\n'));
    await contents.append(id, 8, bytes('three\n'));
    assert.equal(await read(id), 'one\ntwo\nthree\n');
    await contents.append(id, 4, bytes(''));
    assert.equal(await read(id), 'one\n');
    await contents.append(id, 0, bytes('anew'));
    assert.equal(await read(id), 'anew');
  });

  test('appending to content shorter than what was committed is refused, and the content stays as it is', async () => {
    const id = newFileId(ids);
    await contents.append(id, 0, bytes('one\n'));
    await assert.rejects(contents.append(id, 5, bytes('two\n')), isUnavailable);
    await assert.rejects(contents.append(newFileId(ids), 5, bytes('two\n')), isUnavailable);
    assert.equal(await read(id), 'one\n');
  });

  test('deleted content is gone for good', async () => {
    const id = await upload('one');
    await contents.delete(id);
    await contents.delete(id);
    assert.equal(await contents.has(id), false);
    await assert.rejects(read(id), isUnavailable);
  });

  test('content that cannot be read is unavailable, with a Retry-After', async () => {
    const id = newFileId(ids);
    await mkdir(placeOf(id), { recursive: true });
    await assert.rejects(read(id), isUnavailable);
  });

  test('a store that cannot be written to is unavailable, and so is each step of an upload', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await assert.rejects(contents.draft(), isUnavailable);
    await assert.rejects(contents.append(newFileId(ids), 0, bytes('x')), isUnavailable);
    await rm(folder);
    const draft = await contents.draft();
    await rm(folder, { recursive: true });
    await assert.rejects(draft.keep(newFileId(ids)), isUnavailable);
    await draft.abandon();
  });

  test('all contents are listed, but no drafts and no other files', async () => {
    const kept = (await Promise.all(['a', 'b', 'c'].map(upload))).sort();
    await writeFile(placeOf(kept[0] ?? '').replace(/file-.*/, 'a-note'), '');
    await writeFile(join(folder, 'drafts', 'left-over'), 'half');
    const listed: string[] = [];
    for await (const part of contents.list()) listed.push(...part);
    assert.deepEqual(listed.sort(), kept);
  });

  test('only an id becomes a file name', async () => {
    for (const name of ['../../etc/passwd', 'file-..', '', 'file-0199aaaa']) {
      await assert.rejects(read(name));
      await assert.rejects(contents.delete(name));
    }
  });
});
