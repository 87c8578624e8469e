import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublic, refusalOf } from './address.ts';

test('only hosts of the public internet are public', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    assert.ok(isPublic(address), address);
  for (const address of [
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0'],
    ...['192.0.0.192', '224.0.0.1', '255.255.255.255', '198.18.0.1', '203.0.113.9', '192.88.99.1'],
    ...['::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...['fe80::1', 'fd00:ec2::254', 'fc00::1', 'ff02::1', '2002:7f00:1::', '2001::1', '2001:db8::1', '::7f00:1'],
    ...['localhost', ''],
  ])
    assert.ok(!isPublic(address), address);
});

test('an address is refused before it is asked for, with the reason', () => {
  assert.equal(refusalOf('https://example.com/hooks?of=me', []), null);
  assert.equal(refusalOf('https://example.com:8443/', []), null);
  assert.equal(refusalOf('https://1.1.1.1/', []), null);
  for (const text of [
    '',
    'example.com',
    'ftp://example.com/',
    'javascript:alert(1)',
    `https://e.com/${'x'.repeat(2000)}`,
  ])
    assert.match(refusalOf(text, []) ?? '', /not an https/, text);
  assert.match(refusalOf('http://example.com/', []) ?? '', /Only https/);
  assert.match(refusalOf('https://me:secret@example.com/', []) ?? '', /a user or a password/);
  for (const host of [
    ...['localhost', 'localhost.', 'api.localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1'],
    ...['169.254.169.254', 'metadata.google.internal', 'metadata', 'instance-data', 'printer.local', '[::1]'],
    ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]', '10.0.0.1.'],
  ])
    assert.match(refusalOf(`https://${host}/`, []) ?? '', /not a host of the public internet/, host);
});

test('a host that the operator allows may be anywhere, without TLS, at its port only if one is named', () => {
  assert.equal(refusalOf('http://hooks.internal/in', ['hooks.internal']), null);
  assert.equal(refusalOf('http://127.0.0.1:9/', ['127.0.0.1']), null);
  assert.equal(refusalOf('https://10.0.0.7/', ['10.0.0.7:443']), null);
  assert.match(refusalOf('http://10.0.0.7/', ['10.0.0.7:443']) ?? '', /public internet/);
  assert.match(refusalOf('https://x.hooks.internal/', ['hooks.internal']) ?? '', /public internet/);
  assert.match(refusalOf('http://me:x@hooks.internal/', ['hooks.internal']) ?? '', /a user/);
});

test('a user who tries it on their own machine reads which setting allows it, in a line that can be copied and stored', () => {
  const local = refusalOf('http://localhost:3000/hooks', []) ?? '';
  assert.equal(
    local,
    'localhost is not a host of the public internet. The operator of the gateway can allow it: webhooks: {allow: ["localhost:3000"]}',
  );
  const [, host = ''] = /allow: \["(.*)"\]/.exec(local) ?? [];
  assert.equal(refusalOf('http://localhost:3000/hooks', [host]), null);
  const long = refusalOf(`https://${'a.'.repeat(900)}internal/`, []) ?? '';
  assert.match(long, /webhooks\.allow/);
  // An endpoint that is given up has a sentence before it.
  assert.ok(long.length <= 200, `${long.length}`);
});
