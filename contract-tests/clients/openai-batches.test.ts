/** Batches through the official OpenAI client, unmodified, as in its guide: upload, create, poll, download. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import OpenAI, { ConflictError, NotFoundError, RateLimitError, toFile } from 'openai';
import { type BatchResultLine, CHAT, line } from '../support/batches.ts';
import { useServer } from '../support/server.ts';
import { ValidatingFetch } from './validating-fetch.ts';

describe('batches through the official OpenAI client', () => {
  const server = useServer();
  const wire = new ValidatingFetch();
  let openai: OpenAI;
  let folder: string;

  before(async () => {
    const { key } = await server.createAccount({ keyPriceLimits: { tide: 5, reef: 5 } });
    openai = new OpenAI({ baseURL: `${server.api.url}/v1`, apiKey: key, fetch: wire.fetch, maxRetries: 0 });
    folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => wire.assertNoProblems());

  const upload = async (...lines: string[]) =>
    openai.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' });
  const create = (input_file_id: string, more: object = {}) =>
    openai.batches.create({ input_file_id, endpoint: CHAT, completion_window: '24h', ...more });

  /** Polls as users do, while time passes. */
  async function ended(id: string): Promise<OpenAI.Batch> {
    for (;;) {
      const batch = await openai.batches.retrieve(id);
      if (batch.status !== 'validating' && batch.status !== 'in_progress' && batch.status !== 'cancelling')
        return batch;
      await server.pass(100);
    }
  }

  async function entriesOf(fileId: string | null | undefined): Promise<BatchResultLine[]> {
    const text = await (await openai.files.content(fileId ?? '')).text();
    return text
      .trimEnd()
      .split('\n')
      .map((entry) => JSON.parse(entry));
  }

  it('a file from the disk is answered', async () => {
    const path = join(folder, 'requests.jsonl');
    await writeFile(path, [line('a'), line('b'), line('bad', { model: 'nobody' })].join('\n'));
    const input = await openai.files.create({ file: createReadStream(path), purpose: 'batch' });
    const made = await create(input.id, { metadata: { project: 'atlas' } });
    assert.deepEqual([made.status, made.metadata, made.input_file_id], ['validating', { project: 'atlas' }, input.id]);
    const batch = await ended(made.id);
    assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 3, completed: 2, failed: 1 }]);
    const output = await entriesOf(batch.output_file_id);
    assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['a', 'b']);
    for (const { response } of output) {
      const completion = response?.body as unknown as OpenAI.ChatCompletion;
      assert.equal(completion.object, 'chat.completion');
      assert.ok(completion.choices[0]?.message.content);
    }
    assert.deepEqual(
      (await entriesOf(batch.error_file_id)).map(({ error }) => error?.code),
      ['model_not_found'],
    );
  });

  it('the errors of a batch say why its file cannot run', async () => {
    const batch = await ended((await create((await upload('{')).id)).id);
    assert.equal(batch.status, 'failed');
    assert.deepEqual(batch.errors?.data?.[0], { code: 'batch_error', message: 'Line 1 is not valid JSON.' });
  });

  it('a batch is canceled, and the client raises the refusals as its own classes', async () => {
    const input = await upload(line('waits', { model: 'reef' }));
    const { id } = await create(input.id);
    await assert.rejects(Promise.resolve(openai.files.delete(input.id)), ConflictError);
    assert.equal((await openai.batches.cancel(id)).status, 'cancelling');
    assert.equal((await ended(id)).status, 'cancelled');
    await assert.rejects(Promise.resolve(openai.batches.cancel(id)), ConflictError);
    await assert.rejects(Promise.resolve(openai.batches.retrieve('batch_none')), NotFoundError);
    await assert.rejects(Promise.resolve(create(`file-${'0'.repeat(32)}`)), NotFoundError);
    const waiting = await Promise.all(Array.from({ length: 5 }, () => create(input.id)));
    await assert.rejects(Promise.resolve(create(input.id)), RateLimitError);
    for (const { id } of waiting) await openai.batches.cancel(id);
    for (const { id } of waiting) await ended(id);
  });

  it('every batch is found by auto-paging', async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { id } = await create((await upload(line('a'))).id);
      await ended(id);
      made.unshift(id);
    }
    const found: string[] = [];
    for await (const { id } of openai.batches.list({ limit: 2 })) found.push(id);
    assert.deepEqual(found.slice(0, 3), made);
    assert.equal(new Set(found).size, found.length);
  });
});
