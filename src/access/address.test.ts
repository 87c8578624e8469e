import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressSubject } from './request-rates.ts';

test('an IPv4 address counts as itself, even when mapped into IPv6', () => {
  assert.equal(addressSubject('192.0.2.7'), '192.0.2.7');
  assert.equal(addressSubject('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(addressSubject('192.0.2.7:4711'), '192.0.2.7', 'a port makes it no other');
});

test('an IPv6 address counts as its /64 network, however it is written', () => {
  const written = [
    '2001:db8:0:1::7',
    '2001:db8:0:1:ffff::',
    '2001:0DB8:0000:0001:1:2:3:4',
    '2001:db8::1:0:0:0:9',
    '2001:db8:0:1::192.0.2.7',
    '2001:db8:0:1::7%eth0',
  ];
  for (const address of written) assert.equal(addressSubject(address), '2001:db8:0:1::/64', address);
  assert.equal(addressSubject('::1'), '0:0:0:0::/64');
  assert.equal(addressSubject('fe80::'), 'fe80:0:0:0::/64');
});

test('neighbouring networks are counted separately', () => {
  assert.notEqual(addressSubject('2001:db8:0:1::7'), addressSubject('2001:db8:0:2::7'));
});

test('connections without an address share one subject', () => {
  assert.equal(addressSubject(undefined), 'unknown');
});
