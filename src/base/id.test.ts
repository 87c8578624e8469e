import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { idSource, isUuid, secretText } from './id.ts';

test('ids are UUIDv7 and increase, even within one millisecond and after the clock steps back', () => {
  const clock = new ManualClock(1_800_000_000_000);
  const ids = idSource(clock);
  const made = Array.from({ length: 10_000 }, () => ids.uuid());
  clock.step(-5_000);
  made.push(ids.uuid());
  clock.step(60_000);
  made.push(ids.uuid());
  assert.ok(made.every(isUuid));
  assert.deepEqual(made, [...made].sort());
  assert.equal(new Set(made).size, made.length);
});

test('an id begins with its time', () => {
  const ids = idSource(new ManualClock(0x0123456789ab));
  assert.ok(ids.uuid().startsWith('01234567-89ab-7000-'));
});

test('other strings are not ids', () => {
  const id = idSource(new ManualClock()).uuid();
  for (const text of ['', id.toUpperCase(), `${id} `, id.replace('-7', '-4'), `resp_${id}`])
    assert.equal(isUuid(text), false);
});

test('a secret has the requested length, only base62 characters, and never repeats', () => {
  const secrets = Array.from({ length: 100 }, () => secretText(43));
  assert.ok(secrets.every((secret) => /^[0-9A-Za-z]{43}$/.test(secret)));
  assert.equal(new Set(secrets).size, 100);
});
