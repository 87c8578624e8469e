import assert from 'node:assert/strict';
import { get } from 'node:http';
import { before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { operations } from '#generated/operations.ts';
import { fixedModel, marketModel } from '#testing/test-config.ts';
import { batchOf, ended, line } from './support/batches.ts';
import { chat } from './support/chat.ts';
import { upload } from './support/files.ts';
import { useServer } from './support/server.ts';

/** So many make every list of this file long enough to be compressed. */
const ENTRIES = 40;
const LARGE = 8192;
const LONG_ANSWER = { output_tokens: 1024, first_token_ms: 0, token_ms: 0 };

describe('compressed answers', () => {
  const models = [
    marketModel('tide', 8),
    ...Array.from({ length: ENTRIES }, (_, index) => fixedModel(`pool-${index}`)),
  ];
  const server = useServer({ default_model: 'tide', models });
  const readers = ['getOpenapi', 'listModels', 'getPartnerCatalog', 'listOrders', 'listUsage'] as const;

  before(async () => {
    const body = chat({ x_simulate: { output_tokens: 1, first_token_ms: 0, token_ms: 0 } });
    const answers = Array.from({ length: ENTRIES }, () => server.api.call('createChatCompletion', { body }));
    for (const answer of await server.passTimeUntil(Promise.all(answers))) assert.equal(answer.status, 200);
  });

  for (const operation of readers)
    for (const coding of ['gzip', 'br'])
      it(`200 ${operation} in ${coding} has the content that it has without`, async () => {
        const plain = await server.api.call(operation);
        assert.ok(plain.text.length >= LARGE, `${plain.text.length} characters`);
        assert.equal(plain.headers['content-encoding'], undefined);
        const reply = await server.api.call(operation, { headers: { 'accept-encoding': coding } });
        assert.equal(reply.headers['content-encoding'], coding);
        assert.ok(Number(reply.headers['content-length']) < plain.text.length / 2);
        assert.equal(reply.text, plain.text);
        for (const { headers } of [plain, reply]) assert.equal(headers.vary, 'accept-encoding');
      });

  it('304 whichever coding the tag came with', async () => {
    const codings = ['gzip', 'br', 'identity'];
    const ask = (coding: string, more = {}) =>
      server.api.call('listModels', { headers: { 'accept-encoding': coding, ...more } });
    const tags = await Promise.all(codings.map(async (coding) => (await ask(coding)).headers.etag ?? ''));
    assert.equal(new Set(tags).size, 1);
    for (const coding of codings) {
      const reply = await ask(coding, { 'if-none-match': tags[0] });
      assert.deepEqual([reply.status, reply.text], [304, '']);
      assert.deepEqual([reply.headers.etag, reply.headers.vary], [tags[0], 'accept-encoding']);
      assert.equal(reply.headers['content-encoding'], undefined);
    }
  });

  it('small answers, streams, answers to POST and files are never compressed', async () => {
    const headers = { 'accept-encoding': 'gzip, br' };
    const file = await upload(server.api, `${line('a')}\n`.repeat(100));
    const { output_file_id } = await ended(server, (await batchOf(server.api, [line('a')])).id);
    const content = [file.id, output_file_id ?? ''].map((id) =>
      server.api.call('getFileContent', { params: { id }, headers }),
    );
    const answers = [false, true].map((stream) => {
      const body = chat({ stream, logprobs: true, x_simulate: LONG_ANSWER });
      return server.api.call('createChatCompletion', { body, headers });
    });
    const large = [...(await Promise.all(content)), ...(await server.passTimeUntil(Promise.all(answers)))];
    for (const { text } of large.slice(2)) assert.ok(text.length >= LARGE);
    const small = [await server.api.call('getAccount', { headers }), await server.api.call('getMarket', { headers })];
    for (const reply of [...large, ...small]) {
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-encoding'], undefined, reply.operationId);
    }
    const stream = await server.api.open('streamLevels', { headers });
    await stream.until(({ frames }) => frames.length > 0);
    assert.equal(stream.headers['content-encoding'], undefined);
    stream.leave();
  });

  it('the bytes on the wire are those of the coding', async () => {
    const bytes = async (coding: string): Promise<Buffer> => {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      const options = { headers: { 'accept-encoding': coding }, agent: false };
      const asked = get(server.api.url + operations.getOpenapi.path, options, (response) => {
        Array.fromAsync(response).then((chunks) => resolve(Buffer.concat(chunks)), reject);
      });
      asked.on('error', reject);
      return promise;
    };
    const plain = await bytes('identity');
    assert.deepEqual(gunzipSync(await bytes('gzip')), plain);
    assert.deepEqual(brotliDecompressSync(await bytes('br')), plain);
  });
});
