import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import { Listings } from '#market/listing.ts';
import { marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { readDuration, readKeySettings, type TypedKeySettings } from './argument-values.ts';
import { CommandError } from './output.ts';

const nowMs = Date.UTC(2026, 10, 23, 12);
const listings = new Listings(
  [marketListing({ id: 'tide-70b', aliases: ['tide'] }), marketListing({ id: 'reef' })],
  'reef',
);
const read = (typed: TypedKeySettings) => readKeySettings(typed, new ManualClock(nowMs), () => listings);

test('nothing is set that was not written, and no configuration is read for it', () => {
  const unread = () => assert.fail('the configuration was read');
  assert.deepEqual(readKeySettings({}, new ManualClock(nowMs), unread), {});
  assert.deepEqual(readKeySettings({ models: 'all' }, new ManualClock(nowMs), unread), { models: null });
});

test('a budget is USD with a reset, or none', () => {
  assert.deepEqual(read({ budget: '5', reset: 'month' }), { budget: 5_000_000_000n, reset: 'month' });
  assert.deepEqual(read({ budget: 'none' }), { budget: null });
  for (const budget of ['0', '-5', 'five', '']) assert.throws(() => read({ budget }), CommandError);
  assert.throws(() => read({ reset: 'monthly' }), /--reset is monthly/);
});

test('an expiry is a date, a time with its zone, a length of time, or never', () => {
  assert.equal(read({ expires: '2027-01-31' }).expiresAtMs, Date.UTC(2027, 0, 31));
  assert.equal(read({ expires: '2027-01-31T18:00+01:00' }).expiresAtMs, Date.UTC(2027, 0, 31, 17));
  assert.equal(read({ expires: '2028-02-29T00:00:30Z' }).expiresAtMs, Date.UTC(2028, 1, 29, 0, 0, 30));
  assert.equal(read({ expires: new Date(nowMs + 30_485).toISOString() }).expiresAtMs, nowMs + 30_485);
  assert.equal(read({ expires: '2027-01-31 18:00:00+0100' }).expiresAtMs, Date.UTC(2027, 0, 31, 17));
  assert.equal(read({ expires: '90d' }).expiresAtMs, nowMs + 90 * DAY_MS);
  assert.equal(read({ expires: 'never' }).expiresAtMs, null);
  for (const expires of ['2027-02-30', '2027-13-01', '2027-01-31T18:00', 'tomorrow', '', '1', '31.01.2027'])
    assert.throws(() => read({ expires }), /is not a date; write 2027-01-31/, expires);
  assert.throws(() => read({ expires: '99999d' }), /is not a length of time/);
});

test('strict is on or off', () => {
  assert.deepEqual([read({ strict: 'on' }), read({ strict: 'off' })], [{ strict: true }, { strict: false }]);
  for (const strict of ['', 'true', 'yes', 'ON']) assert.throws(() => read({ strict }), /write on or off/);
});

test('models are kept under their real ids, each once', () => {
  assert.deepEqual(read({ models: 'tide, reef,tide-70b' }), { models: ['tide-70b', 'reef'] });
  for (const models of ['nothing', '', 'tide,,reef']) assert.throws(() => read({ models }), /No model/);
});

test('scopes, addresses and a member are named, or taken away', () => {
  assert.deepEqual(read({ scopes: 'read_own, inference' }), { scopes: ['read_own', 'inference'] });
  assert.deepEqual(read({ addresses: '10.0.0.0/8,::1' }), { addresses: ['10.0.0.0/8', '::1'] });
  assert.deepEqual(read({ member: 'ada@example.com' }), { member: 'ada@example.com' });
  assert.deepEqual(read({ scopes: 'default', addresses: 'any', member: 'none' }), {
    scopes: null,
    addresses: null,
    member: null,
  });
  for (const scopes of ['', 'read', 'inference,,manage'])
    assert.throws(() => read({ scopes }), /is not a scope; write/);
});

test('an overlap is minutes, hours or days', () => {
  assert.deepEqual(['0', '30m', '24h', '7d'].map(readDuration), [0, HOUR_MS / 2, DAY_MS, 7 * DAY_MS]);
  for (const text of ['-1h', '1', 'h', '1w', '1.5h', '99999d', ''])
    assert.throws(() => readDuration(text), /is not a length of time/);
});
