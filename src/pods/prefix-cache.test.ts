import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PrefixCache } from './prefix-cache.ts';

test('a prompt finds the prefix it shares with an earlier one, in whole blocks', () => {
  const cache = new PrefixCache();
  const shared = 'a'.repeat(200);
  assert.equal(cache.take(`${shared}first`), 0);
  assert.equal(cache.take(`${shared}second`), 192);
  assert.equal(cache.take(`${shared}second`), 192);
});

test('a block after a different prefix is not found', () => {
  const cache = new PrefixCache();
  const same = 'b'.repeat(300);
  cache.take(`x${same}`);
  assert.equal(cache.take(`y${same}`), 0);
});

test('the oldest blocks are evicted', () => {
  const cache = new PrefixCache();
  cache.take('old'.repeat(100));
  for (let prompt = 0; prompt < 5; prompt++) cache.take(`${prompt}`.repeat(262_144));
  assert.equal(cache.take('old'.repeat(100)), 0);
});
