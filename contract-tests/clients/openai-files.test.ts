/** Files through both majors of the official OpenAI client, unmodified: every way in which it accepts a file. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { OpenAI as Openai6, toFile as toFile6 } from 'openai-6';
import { useServer } from '../support/server.ts';
import { ValidatingFetch } from './validating-fetch.ts';

const LINES = '{"custom_id":"é"}\n{"custom_id":"🐟"}\n';

for (const [name, Client, asFile] of [
  ['the OpenAI client', OpenAI, toFile],
  ['the previous major of the OpenAI client', Openai6, toFile6],
] as const) {
  describe(`files through ${name}`, () => {
    const server = useServer();
    const wire = new ValidatingFetch();
    let openai: Pick<OpenAI, 'files'>;
    let folder: string;

    before(async () => {
      const { key } = await server.createAccount();
      // The other major sends the same, under types of its own.
      openai = new Client({ baseURL: `${server.api.url}/v1`, apiKey: key, fetch: wire.fetch }) as typeof openai;
      folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
    });
    after(() => rm(folder, { recursive: true }));
    afterEach(() => wire.assertNoProblems());

    async function ways(): Promise<readonly [string, Parameters<OpenAI['files']['create']>[0]['file']][]> {
      const path = join(folder, 'stream.jsonl');
      await writeFile(path, LINES);
      return [
        ['stream.jsonl', createReadStream(path)],
        ['file.jsonl', new File([LINES], 'file.jsonl')],
        ['buffer.jsonl', await asFile(Buffer.from(LINES), 'buffer.jsonl')],
        ['blob.jsonl', await asFile(new Blob([LINES]), 'blob.jsonl')],
        ['answer.jsonl', await asFile(new Response(LINES), 'answer.jsonl')],
      ];
    }

    it('creates, retrieves, reads and deletes a file, from every source that it accepts', async () => {
      for (const [filename, file] of await ways()) {
        const created = await openai.files.create({ file, purpose: 'batch' });
        assert.deepEqual(
          [created.filename, created.bytes, created.purpose],
          [filename, Buffer.byteLength(LINES), 'batch'],
        );
        assert.deepEqual({ ...(await openai.files.retrieve(created.id)) }, { ...created });
        assert.equal(await (await openai.files.content(created.id)).text(), LINES);
        const { id, deleted } = await openai.files.delete(created.id);
        assert.deepEqual([id, deleted], [created.id, true]);
      }
    });

    it('may send an expiry, which the account’s setting overrules', async () => {
      const file = new File([LINES], 'in.jsonl');
      const expires_after = { anchor: 'created_at', seconds: 3600 } as const;
      const created = await openai.files.create({ file, purpose: 'batch', expires_after });
      assert.equal((created.expires_at ?? 0) - created.created_at, 30 * 86_400);
      await openai.files.delete(created.id);
    });

    it('pages through a list by itself', async () => {
      const made: string[] = [];
      for (let at = 0; at < 5; at++) {
        made.unshift((await openai.files.create({ file: new File([LINES], `${at}`), purpose: 'batch' })).id);
      }
      const walked: string[] = [];
      for await (const { id } of openai.files.list({ limit: 2 })) walked.push(id);
      assert.deepEqual(walked, made);
      for await (const { id } of openai.files.list({ purpose: 'batch_output' })) assert.fail(id);
    });

    it('rejects with the status and the code of a refusal', async () => {
      const file = new File([LINES], 'in.jsonl');
      const isRefusal = (status: number, code: string) => (error: unknown) => {
        assert.ok(error instanceof Error && 'status' in error && 'code' in error);
        return error.status === status && error.code === code;
      };
      await assert.rejects(openai.files.create({ file, purpose: 'fine-tune' }), isRefusal(400, 'invalid_request'));
      await assert.rejects(openai.files.retrieve('file-unknown'), isRefusal(404, 'not_found'));
      await assert.rejects(openai.files.content('file-unknown'), isRefusal(404, 'not_found'));
      const large = new File([Buffer.alloc(50 * 1024 * 1024 + 1)], 'large.jsonl');
      await assert.rejects(openai.files.create({ file: large, purpose: 'batch' }), isRefusal(413, 'request_too_large'));
    });
  });
}
