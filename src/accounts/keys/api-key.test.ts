/** API keys: their form, and what is no key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintOf, isApiKey, newApiKey } from './api-key.ts';

test('a new key has the form that secret scanners know, and is one', () => {
  const keys = Array.from({ length: 1_000 }, newApiKey);
  for (const key of keys) {
    assert.match(key, /^sk-sluice-[0-9A-Za-z]{36}$/);
    assert.ok(isApiKey(key), key);
  }
  assert.equal(new Set(keys).size, keys.length);
});

test('the checksum is the CRC-32 of all before it, in base62', () => {
  // Python's zlib.crc32 of the first 40 characters is 0x3343a589.
  const text = `sk-sluice-${'A'.repeat(30)}`;
  const checksum = '0wClpp';
  assert.ok(isApiKey(text + checksum));
});

test('one wrong character, one more or one less is no key', () => {
  const key = newApiKey();
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === 'x' ? 'y' : 'x';
    assert.ok(!isApiKey(key.slice(0, at) + other + key.slice(at + 1)), `character ${at}`);
  }
  for (const wrong of [
    '',
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.toLowerCase(),
    '🗝'.repeat(23),
  ])
    assert.ok(!isApiKey(wrong), wrong);
});

test('a key from before keys had a checksum is one', () => {
  assert.ok(isApiKey(`sk-sluice-${'Ab3'.repeat(14)}Z`));
  assert.ok(!isApiKey(`sk-sluice-${'A-_'.repeat(14)}Z`));
});

test('a hint shows the ends alone', () => {
  const key = newApiKey();
  assert.equal(hintOf(key), `${key.slice(0, 14)}…${key.slice(-4)}`);
});
