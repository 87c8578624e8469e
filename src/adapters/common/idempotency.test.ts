import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonBody } from '#base/exact-json.ts';
import { Fault } from '#base/fault.ts';
import type { JsonObject } from '#orders/request.ts';
import { extensionHeaders, forwardable, readIdempotency } from './extensions.ts';

const HEADERS = ['x-price-limit', 'x-expires-after'];
const fingerprint = (body: object, headers: Record<string, string> = {}) =>
  readIdempotency({ ...body }, { 'idempotency-key': 'k', ...headers }, HEADERS)?.fingerprint;

test('without the header there is no key', () => {
  assert.equal(readIdempotency({ a: 1 }, {}, HEADERS), null);
});

test('the key is taken as it is', () => {
  assert.equal(readIdempotency({}, { 'idempotency-key': ' Ab ' }, HEADERS)?.key, ' Ab ');
});

test('the order of keys does not matter, the order of items does', () => {
  assert.equal(fingerprint({ a: 1, b: { c: 2, d: 3 } }), fingerprint({ b: { d: 3, c: 2 }, a: 1 }));
  assert.notEqual(fingerprint({ a: [1, 2] }), fingerprint({ a: [2, 1] }));
});

test('fields of delivery do not count at the top level, but do below it', () => {
  assert.equal(fingerprint({ a: 1 }), fingerprint({ a: 1, stream: true, stream_options: { include_usage: true } }));
  assert.notEqual(fingerprint({ a: {} }), fingerprint({ a: { stream: true } }));
});

test('a value and its text, null and an absent field are different requests', () => {
  const all = [{ a: 1 }, { a: '1' }, { a: null }, {}, { a: [1] }, { a: { 0: 1 } }, { 'a":1,"b': 1 }].map((body) =>
    fingerprint(body),
  );
  assert.equal(new Set(all).size, all.length);
});

test('price and expiry headers count, others do not', () => {
  const all = [{}, { 'x-price-limit': '1' }, { 'x-expires-after': '1' }].map((headers) => fingerprint({}, headers));
  assert.equal(new Set(all).size, 3);
  assert.equal(fingerprint({}), fingerprint({}, { 'user-agent': 'x' }));
});

test('a header that came later counts only where it is sent', () => {
  const later = [...HEADERS, 'x-later'];
  const read = (headers: Record<string, string>) =>
    readIdempotency({ a: 1 }, { 'idempotency-key': 'k', ...headers }, later)?.fingerprint;
  assert.equal(read({}), fingerprint({ a: 1 }));
  assert.equal(new Set([{}, { 'x-later': '' }, { 'x-later': '1' }, { 'x-later': '2' }].map(read)).size, 4);
});

test('fingerprints are those that the first release stored', () => {
  // As version 8c39f9f computed them.
  const chat = { model: 'tide', messages: [{ role: 'user', content: 'Hi' }], price_limit: 5, seed: 9007199254740992 };
  const LONG = '{"model":"tide","messages":[{"role":"user","content":"Hi"}],"price_limit":5,"seed":9007199254740993}';
  const headers = { 'idempotency-key': 'k', 'x-max-price': '7' };
  const of = (body: unknown, names: readonly ('price_limit' | 'max_price')[], sent: Record<string, string>) =>
    readIdempotency(body as JsonObject, sent, extensionHeaders(names));
  const first = '358832d359c9443ce598d1e3177e43325a1e219595d3f507bfa25cb456fbf49b';
  assert.equal(of(chat, ['price_limit'], { 'idempotency-key': 'k' })?.fingerprint, first);
  // It read numbers as doubles. Today two that differ in the last digit are two requests.
  const long = of(forwardable(jsonBody(Buffer.from(LONG))), ['price_limit'], { 'idempotency-key': 'k' });
  assert.equal(long?.firstFingerprint, first);
  assert.notEqual(long?.fingerprint, first);
  assert.equal(
    of(chat, ['max_price', 'price_limit'], headers)?.fingerprint,
    '67baf5b687d3771c3e1021ea98afdd1fb6946d9c147b035f47d529629bf712a5',
  );
  assert.equal(
    of(chat, ['price_limit', 'max_price'], headers)?.fingerprint,
    'cd80fa77d1232db0562cee5a9fd049f4b34f9dd9eb9d23d87c52434b3e5e6b6e',
  );
});

test('a body nested too deeply is refused instead of overflowing the stack', () => {
  const deep = JSON.parse(`${'[['.repeat(100_000)}${']]'.repeat(100_000)}`);
  assert.throws(() => fingerprint({ metadata: deep }), Fault);
});
