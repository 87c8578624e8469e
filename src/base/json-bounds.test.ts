import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NESTING_MAX } from './bounds.ts';
import { JSON_VALUES_MAX, scanJson } from './exact-json.ts';

const broken = (text: string) => scanJson(Buffer.from(text)).broken;
const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`;
const listOf = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`;

test('nesting may be as deep as readers can handle, and no deeper', () => {
  assert.equal(broken(nested(NESTING_MAX)), null);
  assert.match(broken(nested(NESTING_MAX + 2)) ?? '', /deeper than 256/);
});

test('values are counted everywhere, and keys are not counted twice', () => {
  assert.equal(broken(listOf('0', JSON_VALUES_MAX)), null);
  assert.match(broken(listOf('0', JSON_VALUES_MAX + 2)) ?? '', /more than 100000 values/);
  assert.equal(broken(listOf('{"key":1}', JSON_VALUES_MAX / 2)), null);
  assert.match(broken(listOf('{"key":1,"other":2}', JSON_VALUES_MAX / 2)) ?? '', /values/);
  assert.match(broken(listOf('[]', JSON_VALUES_MAX / 2 + 2)) ?? '', /values/);
});

test('the content of a string does not count, even with escaped quotes', () => {
  const marks = '[{,'.repeat(JSON_VALUES_MAX);
  assert.equal(broken(`["${marks}"]`), null);
  assert.equal(broken(`["\\"${marks}"]`), null);
  assert.equal(broken(`["\\\\\\"${marks}"]`), null);
  assert.match(broken(`["\\\\",${marks}"]`) ?? '', /nested/);
});

test('text that ends inside a string is left to the parser', () => {
  assert.equal(broken(`"${'['.repeat(1000)}`), null);
  assert.equal(broken(`"${'\\'.repeat(1001)}`), null);
});
