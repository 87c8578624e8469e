import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Rendered, rendered } from '#contract/reply.ts';
import { conditionalReply } from './conditional.ts';

const answer = { raw: rendered({ a: 1 }), maxAgeS: 7, headers: { 'x-more': 'yes' } };

test('the response is JSON with its own headers, a max-age and an ETag', () => {
  const reply = conditionalReply({}, answer);
  assert.equal(reply.status, 200);
  assert.deepEqual('raw' in reply && reply.raw, '{"a":1}');
  const { etag, ...headers } = reply.headers ?? {};
  assert.match(etag ?? '', /^W\/"[\w-]+"$/);
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=7',
    'x-more': 'yes',
  });
});

test('the same content has one ETag as text and as bytes, other content has another', () => {
  const tag = (raw: unknown) => conditionalReply({}, { ...answer, raw: raw as Rendered<unknown> }).headers?.etag;
  assert.equal(tag('{"a":1}'), tag(Buffer.from('{"a":1}')));
  assert.notEqual(tag('{"a":1}'), tag('{"a":2}'));
});

test('304 repeats the caching headers and has no body, for a tag with or without the mark of a weak one', () => {
  const { etag = '' } = conditionalReply({}, answer).headers ?? {};
  for (const known of [etag, etag.replace('W/', ''), '*'])
    assert.deepEqual(conditionalReply({ 'if-none-match': `"other", ${known}` }, answer), {
      status: 304,
      headers: { etag, 'cache-control': 'public, max-age=7', 'x-more': 'yes' },
    });
});

test('a client with another ETag gets the whole response', () => {
  for (const tags of ['', '"other"', '"'])
    assert.equal(conditionalReply({ 'if-none-match': tags }, answer).status, 200, tags);
});

test('memory is released at once with 304, and by the reply with 200', () => {
  let released = 0;
  const release = () => void released++;
  const reply = conditionalReply({}, { ...answer, release });
  assert.equal('release' in reply && reply.release, release);
  assert.equal(released, 0);
  conditionalReply({ 'if-none-match': reply.headers?.etag ?? '' }, { ...answer, release });
  assert.equal(released, 1);
});
