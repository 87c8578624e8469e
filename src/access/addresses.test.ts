import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES_MAX, isAllowedFrom, readAddresses } from './addresses.ts';

const refused = (typed: readonly string[], message: RegExp) =>
  assert.throws(() => readAddresses(typed), { code: 'invalid_request', param: 'addresses', message });

test('addresses and networks of both families are read, each once, without spaces', () => {
  const entries = ['203.0.113.7', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', '2001:DB8::/48', '::ffff:10.0.0.1', '::/0'];
  assert.deepEqual(readAddresses([...entries, ' 10.0.0.0/8 ']), entries);
});

test('what is neither an address nor a network is refused by name, and so are none and too many', () => {
  for (const wrong of [
    ...['', 'localhost', 'example.com', '203.0.113', '203.0.113.256', '010.0.0.1', '203.0.113.0/33', '203.0.113.0/'],
    ...['203.0.113.0/-1', '203.0.113.0/8/8', '2001:db8::/129', '2001:db8:::1', 'fe80::1%eth0', '[::1]', '1.2.3.4:80'],
    ...['203.0.113.0/24;', '٢٠٣.0.113.7', 'x'.repeat(1000)],
  ])
    refused(['10.0.0.1', wrong], /is neither an address nor a network; write 203\.0\.113\.7/);
  refused([], /one entry at least/);
  const many = Array.from({ length: ADDRESSES_MAX }, (_, at) => `10.0.0.${at}`);
  assert.equal(readAddresses([...many, '10.0.0.0']).length, ADDRESSES_MAX);
  refused([...many, '10.0.1.0'], /50 addresses at most/);
});

test('a caller is allowed from an entry, in whichever way its address is written', () => {
  const entries = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/48'];
  for (const address of [
    '203.0.113.0',
    '203.0.113.255',
    '198.51.100.7',
    '::ffff:203.0.113.9',
    '2001:DB8:0:1::7',
    '2001:db8::1%eth0',
    '203.0.113.9:4711',
    '[2001:db8::7]:4711',
    '[2001:db8::7]',
  ])
    assert.ok(isAllowedFrom(entries, address), address);
  for (const address of ['203.0.114.0', '198.51.100.8', '2001:db8:1::', '::1', '127.0.0.1', '::ffff:198.51.100.8'])
    assert.ok(!isAllowedFrom(entries, address), address);
});

test('an address that is not known is not allowed, not even from anywhere', () => {
  for (const address of [undefined, '', 'unknown', 'nonsense', '%eth0', '[::1', '1.2.3.4:x', '[localhost]:80'])
    assert.ok(!isAllowedFrom(['0.0.0.0/0', '::/0'], address), String(address));
});
