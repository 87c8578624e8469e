import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawReply } from '#contract/reply.ts';
import { staticReply } from './static-reply.ts';

const ask = async (json: unknown, tags?: string) =>
  staticReply(json)({ headers: tags === undefined ? {} : { 'if-none-match': tags } }) as RawReply;

test('the response is JSON with an ETag, to be cached for a minute', async () => {
  const reply = await ask({ a: 1 });
  assert.equal(reply.raw, '{"a":1}');
  assert.equal(reply.headers['content-type'], 'application/json');
  assert.equal(reply.headers['cache-control'], 'public, max-age=60');
  assert.equal((await ask({ a: 1 })).headers.etag, reply.headers.etag);
  assert.notEqual((await ask({ a: 2 })).headers.etag, reply.headers.etag);
});

test('a client that has it gets 304 without a body', async () => {
  const etag = (await ask({ a: 1 })).headers.etag ?? '';
  for (const tags of [etag, etag.slice('W/'.length), `"other", ${etag}`, '*']) {
    const reply = await ask({ a: 1 }, tags);
    assert.equal(reply.status, 304, tags);
    assert.deepEqual([reply.headers.etag, Object.hasOwn(reply, 'raw')], [etag, false]);
  }
});

test('a client with another ETag gets the whole response', async () => {
  for (const tags of ['', '"other"', '"']) assert.equal((await ask({ a: 1 }, tags)).status, 200, tags);
});
