import assert from 'node:assert/strict';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { RequestOptions } from './support/client.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { file, form, purpose, upload } from './support/files.ts';
import { useServer } from './support/server.ts';

const MIB = 1024 * 1024;
const DAY_S = 86_400;

describe('POST /v1/files', () => {
  const server = useServer();
  const good = form(purpose(), file());
  itNeedsAKey(server, 'uploadFile', good);
  itSurvivesAnOutage(server, 'uploadFile', good);
  itHasARate('file_operations_per_minute_per_account', 'uploadFile', good);

  const send = (options: RequestOptions, api = server.api) => api.call('uploadFile', options);
  const list = async () => (await server.api.call('listFiles', { query: { limit: 100 } })).body(200).data;
  const content = async (id: string) => (await server.api.call('getFileContent', { params: { id } })).text;
  const drafts = () => readdir(join(server.dataFolder, 'files', 'drafts'));

  /** Runs `act` and asserts that it left neither a file nor a part of one. */
  async function storesNothing(act: () => Promise<unknown>): Promise<void> {
    const before = await list();
    await act();
    assert.deepEqual(await list(), before);
    assert.deepEqual(await drafts(), []);
  }

  it('200 the file as it was stored', async () => {
    const nowS = Math.floor(server.clock.nowMs() / 1000);
    const stored = (await send(form(purpose(), file('{"a":1}\n', 'lines.jsonl')))).body(200);
    assert.match(stored.id, /^file-[0-9a-f]{32}$/);
    assert.deepEqual(stored, {
      id: stored.id,
      object: 'file',
      bytes: 8,
      created_at: nowS,
      expires_at: nowS + 30 * DAY_S,
      filename: 'lines.jsonl',
      purpose: 'batch',
      status: 'processed',
    });
    assert.equal(await content(stored.id), '{"a":1}\n');
  });

  it('200 with the parts in any order, and parts of other names among them', async () => {
    const other = { name: 'expires_after[seconds]', content: '3600' };
    const image = { name: 'image', content: 'x'.repeat(100_000), filename: 'x.png' };
    const stored = (await send(form(image, file('x\n'), other, purpose()))).body(200);
    assert.equal(stored.expires_at - stored.created_at, 30 * DAY_S);
    assert.equal(await content(stored.id), 'x\n');
  });

  it('200 an empty file, and content that is not JSON: only a batch checks it', async () => {
    assert.equal((await upload(server.api, '')).bytes, 0);
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
    assert.equal((await upload(server.api, bytes)).bytes, 6);
  });

  // Spec 8-36
  it('200 an account without retention keeps a file for a day, one with ten days for ten', async () => {
    for (const [retentionDays, keptDays] of [
      [0, 1],
      [10, 10],
    ] as const) {
      const { key } = await server.createAccount({ retentionDays });
      const { created_at, expires_at } = await upload(server.api.as(key));
      assert.equal(expires_at - created_at, keptDays * DAY_S);
    }
  });

  it('200 in gzip and br, stored decompressed', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const { raw, headers } = form(purpose(), file('{}\n'.repeat(1000)));
      const body = compress(raw ?? '');
      const stored = (await send({ raw: body, headers: { ...headers, 'content-encoding': encoding } })).body(200);
      assert.equal(await content(stored.id), '{}\n'.repeat(1000));
    }
  });

  it('200 a filename loses its folders and control characters', async () => {
    for (const [sent, kept] of [
      ['../../etc/passwd', 'passwd'],
      ['C:\\\\batches\\\\in.jsonl', 'in.jsonl'],
      ['in\u0000\u0007.jsonl', 'in.jsonl'],
      ['größe 🐟.jsonl', 'größe 🐟.jsonl'],
      ['', 'upload.jsonl'],
      ['x'.repeat(400), 'x'.repeat(255)],
    ] as const) {
      assert.equal((await upload(server.api, '{}\n', sent)).filename, kept);
    }
  });

  const refused: [string, RequestOptions][] = [
    ['without a file', form(purpose())],
    ['without a purpose', form(file())],
    ['with two files', form(purpose(), file(), file())],
    ['with a purpose that is not batch, before the file', form(purpose('fine-tune'), file())],
    ['with a purpose that is not batch, behind the file', form(file(), purpose('assistants'))],
    ['with a purpose of batches’ own files', form(purpose('batch_output'), file())],
    ['with two purposes', form(purpose(), file(), purpose('fine-tune'))],
    ['with its file under another name', form(purpose(), { name: 'upload', content: '{}', filename: 'in.jsonl' })],
    ['of nothing', form()],
    ['that is empty', { ...good, raw: '' }],
    ['that is cut short', { ...good, raw: Buffer.from(good.raw ?? '').subarray(0, -30) }],
    ['with another boundary', { ...good, headers: { 'content-type': 'multipart/form-data; boundary=other' } }],
    ['without a boundary', { ...good, headers: { 'content-type': 'multipart/form-data' } }],
    ['that is JSON', { body: { purpose: 'batch', file: '{}' } }],
    [
      'that is not gzip although it claims to be',
      { ...good, headers: { ...good.headers, 'content-encoding': 'gzip' } },
    ],
  ];
  for (const [name, options] of refused) {
    it(`400 a form ${name}, and nothing is stored`, async () => {
      await storesNothing(async () => (await send(options)).refusal(400, 'invalid_request'));
    });
  }

  it('400 an unsupported encoding', async () => {
    const headers = { ...good.headers, 'content-encoding': 'compress' };
    (await send({ ...good, headers })).refusal(400, 'unsupported_encoding');
  });

  // Spec 4.8-3, 7-24, 8-28
  it('413 a file over 50 MiB, but not one of exactly 50 MiB, and nothing of it is stored', async () => {
    const exact = Buffer.alloc(50 * MIB, '{}\n');
    const { id, bytes } = await upload(server.api, exact);
    assert.equal(bytes, 50 * MIB);
    (await server.api.call('deleteFile', { params: { id } })).body(200);
    const tooLarge = form(purpose(), file(Buffer.concat([exact, Buffer.from('x')])));
    await storesNothing(async () => (await send(tooLarge)).refusal(413, 'request_too_large'));
    const { raw, headers } = form(purpose(), file(Buffer.alloc(60 * MIB)));
    await storesNothing(async () =>
      (await send({ raw: raw ?? '', headers: headers ?? {} })).refusal(413, 'request_too_large'),
    );
    const bomb = { raw: gzipSync(raw ?? ''), headers: { ...headers, 'content-encoding': 'gzip' } };
    await storesNothing(async () => (await send(bomb)).refusal(413, 'request_too_large'));
  });

  // Spec 4.9-73
  it('503 with Retry-After while the disk cannot be written, and not after', async () => {
    await upload(server.api);
    const folder = join(server.dataFolder, 'files');
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'a file where the folder should be');
    const reply = await send(good);
    reply.refusal(503, 'unavailable');
    assert.ok(Number(reply.headers['retry-after']) >= 1);
    await rm(folder);
    await rename(`${folder}-away`, folder);
    (await send(good)).body(200);
    assert.deepEqual(await drafts(), []);
  });
});
