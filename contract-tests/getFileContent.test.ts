import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BrowserSession } from './support/browser-session.ts';
import { itHasARate, itNeedsAKey } from './support/common-refusals.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const NOBODY = `file-${'0'.repeat(32)}`;
const MIB = 1024 * 1024;

describe('GET /v1/files/{id}/content', () => {
  const server = useServer();
  itNeedsAKey(server, 'getFileContent', { params: { id: NOBODY } });
  itHasARate('file_operations_per_minute_per_account', 'getFileContent', { params: { id: NOBODY } });

  const download = (id: string, api = server.api) => api.call('getFileContent', { params: { id } });

  it('200 the bytes as they were uploaded, any number of times', async () => {
    for (const content of ['{"a":1}\n{"a":2}\n', 'é 🐟 \r\n\ufeff', 'no line break', '']) {
      const { id } = await upload(server.api, content);
      for (let times = 0; times < 2; times++) {
        const reply = await download(id);
        assert.equal(reply.status, 200);
        assert.equal(reply.text, content);
        assert.equal(reply.headers['content-length'], String(Buffer.byteLength(content)));
        assert.equal(reply.headers['content-type'], 'application/jsonl');
      }
    }
  });

  it('200 a file of 50 MiB, whole', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`;
    const content = line.repeat(Math.floor((50 * MIB) / line.length));
    const { id } = await upload(server.api, content);
    const { text } = await download(id);
    assert.ok(text === content);
  });

  it('200 with the name of the upload, which every client can read', async () => {
    for (const [filename, disposition] of [
      ['lines (1).jsonl', 'attachment; filename="lines (1).jsonl"'],
      ['größe.jsonl', `attachment; filename="gr__e.jsonl"; filename*=UTF-8''gr%C3%B6%C3%9Fe.jsonl`],
      ['a\\"b.jsonl', `attachment; filename="a_b.jsonl"; filename*=UTF-8''a%22b.jsonl`],
      ['../x\u0000y', 'attachment; filename="xy"'],
    ] as const) {
      const { id } = await upload(server.api, '{}\n', filename);
      assert.equal((await download(id)).headers['content-disposition'], disposition);
    }
  });

  it('200 only the head for HEAD', async () => {
    const { id } = await upload(server.api, '12345\n');
    const answer = await server.api.request('HEAD', `/v1/files/${id}/content`);
    assert.deepEqual([answer.status, answer.headers['content-length']], [200, '6']);
    assert.equal((await answer.whole()).text, '');
  });

  it('404 for a malformed id, an unknown one, a deleted one, and someone else’s', async () => {
    const { id } = await upload(server.api);
    const deleted = await upload(server.api);
    (await server.api.call('deleteFile', { params: { id: deleted.id } })).body(200);
    const other = server.api.as((await server.createAccount()).key);
    const unknown = (await download(NOBODY)).refusal(404, 'not_found');
    for (const reply of [await download('nonsense'), await download(deleted.id), await download(id, other)]) {
      assert.deepEqual(reply.refusal(404, 'not_found'), unknown);
    }
  });

  // Spec 4.8-9
  it('503 with Retry-After while the content cannot be read, and still 404 after a delete', async () => {
    const { id } = await upload(server.api);
    const place = join(server.dataFolder, 'files', id.slice(-3), id);
    await rm(place);
    await mkdir(place);
    const reply = await download(id);
    reply.refusal(503, 'unavailable');
    assert.ok(Number(reply.headers['retry-after']) >= 1);
    await rm(place, { recursive: true });
    (await download(id)).refusal(503, 'unavailable');
    (await server.api.call('deleteFile', { params: { id } })).body(200);
    (await download(id)).refusal(404, 'not_found');
  });
});

describe('GET /v1/files/{id}/content over the download allowance', () => {
  const server = useServer({ limits: { download_bytes_per_hour_per_account: 1000 } });

  // Spec 4.8-10
  it('429 once it is used up, for as long as Retry-After says; the record can still be read', async () => {
    const { id } = await upload(server.api, 'x'.repeat(1500));
    const download = () => server.api.call('getFileContent', { params: { id } });
    const head = await (await server.api.request('HEAD', `/v1/files/${id}/content`)).whole();
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '1500'], 'HEAD is free.');
    assert.equal((await download()).text.length, 1500);
    const reply = await download();
    reply.refusal(429, 'rate_limit_error');
    (await server.api.call('getFile', { params: { id } })).body(200);
    await server.clock.advance(Number(reply.headers['retry-after']) * 1000);
    // The jump also ends the deadlines of calls to the disk that are on their way.
    await eventually(async () => (await download()).status === 200, 'a download');
  });
});

describe('GET /v1/files/{id}/content over the storage cap', () => {
  const server = useServer({ trust_proxy: 1, limits: { stored_bytes_per_account: 100 } });

  // Spec 4.8-7, 7-21, 8-34, 8-35, 2.5-10
  it('410 for the oldest file above the cap, while its record stays; the others are whole', async () => {
    const [first, second] = [await upload(server.api, 'a'.repeat(60)), await upload(server.api, 'b'.repeat(60))];
    const other = server.api.as((await server.createAccount()).key);
    const theirs = await upload(other, 'c'.repeat(60));
    await server.pass(60_000);
    const content = (id: string, api = server.api) => api.call('getFileContent', { params: { id } });
    (await content(first.id)).refusal(410, 'result_unavailable');
    const place = { accountId: (await server.api.call('getAccount')).body(200).account_id, role: 'developer' } as const;
    const browser = await BrowserSession.open(server.api, await server.operator.invite('files@example.com', place));
    (await browser.call('getMemberFile', { params: { id: first.id } })).refusal(410, 'result_unavailable');
    assert.deepEqual((await server.api.call('getFile', { params: { id: first.id } })).body(200), first);
    assert.equal((await content(second.id)).text, 'b'.repeat(60));
    assert.equal((await content(theirs.id, other)).text, 'c'.repeat(60));
    (await server.api.call('deleteFile', { params: { id: first.id } })).body(200);
    (await content(first.id)).refusal(404, 'not_found');
  });
});
