/** What every store of contents does: in a folder, and in a bucket of a real S3-compatible server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { idSource } from '#base/id.ts';
import { newFileId } from '#batches/file.ts';
import { type TestedStores, testedStores } from '#testing/data-stores.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { KeptContents } from './contents.ts';

const ids = idSource(new ManualClock());
const bytes = (text: string) => new TextEncoder().encode(text);
const isUnavailable = (error: unknown) =>
  error instanceof Fault && error.code === 'unavailable' && (error.retryAfterS ?? 0) > 0;

for (const { name, open } of testedStores) {
  describe(`file contents in a ${name}`, () => {
    let opened: TestedStores;
    let contents: KeptContents;

    before(async () => {
      opened = await open();
      contents = opened.contents;
    });
    after(() => opened.close());

    async function read(id: string, range: { start?: number; end?: number } = {}): Promise<string> {
      return Buffer.concat(await Array.fromAsync(contents.read(id, range))).toString();
    }
    async function upload(text: string): Promise<string> {
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      await draft.write(bytes(text));
      await draft.keep();
      return id;
    }

    test('what was written to a draft can be read whole or in part', async () => {
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      for (const part of ['one\n', '', 'two\n']) await draft.write(bytes(part));
      await draft.keep();
      assert.equal(await read(id), 'one\ntwo\n');
      assert.equal(await read(id, { start: 4 }), 'two\n');
      assert.equal(await read(id, { start: 2, end: 6 }), 'e\ntw');
      assert.equal(await read(id, { end: 0 }), '');
      assert.equal(await read(id, { start: 99 }), '');
    });

    test('an empty draft is an empty file', async () => {
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      await draft.keep();
      assert.equal(await read(id), '');
      assert.equal(await contents.has(id), true);
    });

    test('large content comes in chunks of 64 KiB at most', async () => {
      const id = await upload('x'.repeat(200_000));
      const sizes: number[] = [];
      for await (const chunk of contents.read(id)) sizes.push(chunk.length);
      assert.deepEqual(sizes, [65_536, 65_536, 65_536, 200_000 - 3 * 65_536]);
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

    test('only an id becomes a file name', async () => {
      for (const name of ['../../etc/passwd', 'file-..', '', 'file-0199aaaa']) {
        await assert.rejects(read(name));
        await assert.rejects(contents.delete(name));
      }
    });

    test('content of several megabytes is whole, and any part of it can be read', async () => {
      const text = Array.from({ length: 350_000 }, (_, at) => String(at).padStart(9, '0')).join('\n');
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      for (let from = 0; from < text.length; from += 65_000) await draft.write(bytes(text.slice(from, from + 65_000)));
      await draft.keep();
      assert.ok((await read(id)) === text);
      for (const [start, end] of [
        [0, 1],
        [1_048_000, 1_049_000],
        [1_000_000, 3_300_000],
        [3_499_990, 9_999_999],
      ] as const)
        assert.ok((await read(id, { start, end })) === text.slice(start, end));
    });

    test('appends of every size, some of them again, are one content', async () => {
      const id = newFileId(ids);
      let text = '';
      for (const [at, length] of [10, 300_000, 5, 250_000, 20_000, 1, 600_000, 7].entries()) {
        await contents.append(id, text.length, bytes('never committed'.repeat(at * 5000)));
        const added = String(at).repeat(length);
        await contents.append(id, text.length, bytes(added));
        text += added;
        assert.ok((await read(id)) === text, `after ${at}`);
      }
      await contents.append(id, 299_990, bytes('end'));
      assert.ok((await read(id)) === `${text.slice(0, 299_990)}end`);
    });

    test('an abandoned draft leaves nothing', async () => {
      const id = newFileId(ids);
      const draft = await contents.draft(id);
      await draft.write(bytes('half'.repeat(300_000)));
      await draft.abandon();
      await draft.abandon();
      assert.equal(await contents.has(id), false);
    });

    test('all contents are listed once', async () => {
      const [small, large] = [await upload('small'), await upload('large'.repeat(500_000))];
      const listed = (await Array.fromAsync(contents.list())).flat();
      assert.equal(new Set(listed).size, listed.length);
      for (const id of [small, large]) assert.ok(listed.includes(id));
    });
  });
}
