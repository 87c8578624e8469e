import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseBytes } from './release-bytes.ts';

test('bytes with a buffer to themselves are freed at once', () => {
  const bytes = Buffer.allocUnsafeSlow(2 ** 20);
  const before = process.memoryUsage().arrayBuffers;
  releaseBytes(bytes);
  assert.equal(bytes.length, 0);
  assert.ok(process.memoryUsage().arrayBuffers <= before - 2 ** 20);
});

test('bytes that share a buffer stay', () => {
  const whole = Buffer.from('two halves');
  const half = whole.subarray(0, 3);
  releaseBytes(half);
  assert.equal(half.toString(), 'two');
});
