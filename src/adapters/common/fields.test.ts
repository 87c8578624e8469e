import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardedBody } from './fields.ts';

test('what is removed, and scalars that are null, are not forwarded; the rest keeps its order', () => {
  const body = { b: 1, gone: 2, stop: null, other: null, a: { stop: null } };
  const forwarded = forwardedBody(body, new Set(['gone']), new Set(['stop']));
  assert.equal(JSON.stringify(forwarded), '{"b":1,"other":null,"a":{"stop":null}}');
});

test('a key that names the prototype is forwarded like any other', () => {
  const forwarded = forwardedBody(JSON.parse('{"__proto__":{"x":1},"a":2}'), new Set(), new Set());
  assert.equal(JSON.stringify(forwarded), '{"__proto__":{"x":1},"a":2}');
  assert.equal(forwarded.x, undefined);
});
