/** Contents of files in a folder. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { newFileId } from '#batches/file.ts';
import { ManualClock } from '#testing/manual-clock.ts';
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
    const id = newFileId(ids);
    const draft = await contents.draft(id);
    await draft.write(bytes(text));
    await draft.keep();
    return id;
  }

  test('an abandoned draft leaves nothing, also when it is abandoned twice or after it was kept', async () => {
    const draft = await contents.draft(newFileId(ids));
    await draft.write(bytes('half'));
    await draft.abandon();
    await draft.abandon();
    assert.deepEqual(await readdir(join(folder, 'drafts')), []);
    const id = newFileId(ids);
    const kept = await contents.draft(id);
    await kept.keep();
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

  test('content that cannot be read is unavailable, with a Retry-After', async () => {
    const id = newFileId(ids);
    await mkdir(placeOf(id), { recursive: true });
    await assert.rejects(read(id), isUnavailable);
  });

  test('a store that cannot be written to is unavailable, and so is each step of an upload', async () => {
    await writeFile(folder, 'a file where the folder should be');
    await assert.rejects(contents.draft(newFileId(ids)), isUnavailable);
    await assert.rejects(contents.append(newFileId(ids), 0, bytes('x')), isUnavailable);
    await rm(folder);
    const draft = await contents.draft(newFileId(ids));
    await rm(folder, { recursive: true });
    await assert.rejects(draft.keep(), isUnavailable);
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
});
