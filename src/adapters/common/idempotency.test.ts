import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { readIdempotency } from './extensions.ts';

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

test('the bound of the charge counts where it is sent; without it a fingerprint is as earlier versions stored it', () => {
  const wider = [...HEADERS, 'x-max-charge-usd'];
  const read = (headers: Record<string, string>) =>
    readIdempotency({ a: 1 }, { 'idempotency-key': 'k', ...headers }, wider)?.fingerprint;
  assert.equal(read({}), fingerprint({ a: 1 }));
  assert.equal(new Set([{}, { 'x-max-charge-usd': '1' }, { 'x-max-charge-usd': '2' }].map(read)).size, 3);
});

test('a body nested too deeply is refused instead of overflowing the stack', () => {
  const deep = JSON.parse(`${'[['.repeat(100_000)}${']]'.repeat(100_000)}`);
  assert.throws(() => fingerprint({ metadata: deep }), Fault);
});
