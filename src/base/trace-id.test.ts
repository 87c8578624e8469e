import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceIds } from './id.ts';

test('ids are hex of the length that the W3C requires, and differ', () => {
  const ids = traceIds();
  const made = Array.from({ length: 2_000 }, () => [ids.traceId(), ids.spanId()] as const);
  for (const [trace, span] of made) {
    assert.match(trace, /^(?!0{32})[\da-f]{32}$/);
    assert.match(span, /^(?!0{16})[\da-f]{16}$/);
  }
  assert.equal(new Set(made.map(([trace]) => trace)).size, made.length);
  assert.equal(new Set(made.map(([, span]) => span)).size, made.length);
});
