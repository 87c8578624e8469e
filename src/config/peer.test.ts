/** The settings of several gateways, as the environment says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readEnvironment } from './environment.ts';

const SECRET = 'k'.repeat(32);
const CLUSTER = { DATABASE_URL: 'mysql://u:p@db/sluice', SLUICE_PEER_SECRET: SECRET };

const peerAt = (address: string, more: object = {}) =>
  readEnvironment({ ...CLUSTER, SLUICE_PEER_ADDRESS: address, ...more }).peer;

test('without an address a gateway serves alone', () => {
  assert.equal(readEnvironment({}).peer, null);
  assert.equal(readEnvironment({ SLUICE_PEER_ADDRESS: '', SLUICE_PEER_SECRET: '' }).peer, null);
});

test('it listens on its own address, on all of them when that is a name, or where it is set to', () => {
  const bind = { host: '10.0.0.7', port: 9100 };
  assert.deepEqual(peerAt('10.0.0.7:9100'), { ...bind, bind, secret: SECRET });
  assert.deepEqual(peerAt('[fd00::7]:9100')?.bind, { host: 'fd00::7', port: 9100 });
  assert.deepEqual(peerAt('sluice-1.internal:9100')?.bind, { host: null, port: 9100 });
  const bound = (to: string) => peerAt('10.0.0.7:9100', { SLUICE_PEER_BIND: to })?.bind;
  assert.deepEqual(bound('0.0.0.0'), { host: '0.0.0.0', port: 9100 });
  assert.deepEqual(bound('0.0.0.0:19100'), { host: '0.0.0.0', port: 19_100 });
  assert.deepEqual(bound('[::]:19100'), { host: '::', port: 19_100 });
});

test('private and public addresses are taken', () => {
  for (const address of [
    '127.0.0.1:1',
    '172.31.0.1:1',
    '8.8.8.8:1',
    '[::1]:1',
    '[2001:db8::1]:1',
    '[::ffff:10.0.0.1]:1',
  ]) {
    assert.equal(peerAt(address)?.port, 1, address);
  }
});

const refusals: readonly { readonly what: string; readonly set: Record<string, string>; readonly says: RegExp }[] = [
  {
    what: 'a secret without an address',
    set: { SLUICE_PEER_SECRET: SECRET },
    says: /^SLUICE_PEER_SECRET is set and SLUICE_PEER_ADDRESS is not; set it to the host:port /,
  },
  {
    what: 'an address without a secret',
    set: { ...CLUSTER, SLUICE_PEER_SECRET: '', SLUICE_PEER_ADDRESS: '10.0.0.7:9100' },
    says: /^SLUICE_PEER_ADDRESS is set and SLUICE_PEER_SECRET is not; set it to the same text on all gateways/,
  },
  {
    what: 'a short secret, without showing it',
    set: { ...CLUSTER, SLUICE_PEER_SECRET: 'hunter2', SLUICE_PEER_ADDRESS: '10.0.0.7:9100' },
    says: /^SLUICE_PEER_SECRET has 7 characters; make it at least 32(?!.*hunter2)/,
  },
  {
    what: 'SQLite',
    set: { SLUICE_PEER_SECRET: SECRET, SLUICE_PEER_ADDRESS: '10.0.0.7:9100' },
    says: /^SLUICE_PEER_ADDRESS needs MySQL or MariaDB, .* set DATABASE_URL to mysql:/,
  },
  ...['10.0.0.7', ':9100', '10.0.0.7:70000', '10.0.0:9100', 'http://10.0.0.7:9100', 'fd00::7:9100', '[10.0.0.7]:1'].map(
    (address) => ({
      what: `an address that is none: ${address}`,
      set: { ...CLUSTER, SLUICE_PEER_ADDRESS: address },
      says: /^SLUICE_PEER_ADDRESS is ".*"; make it the host:port where other gateways reach this one, such as 10\./,
    }),
  ),
  ...['0.0.0.0:9100', '[::]:9100'].map((address) => ({
    what: `an address that nobody can reach: ${address}`,
    set: { ...CLUSTER, SLUICE_PEER_ADDRESS: address },
    says: /, which nobody can reach; make it this machine's own address, and set SLUICE_PEER_BIND=/,
  })),
  {
    what: 'a name to listen on',
    set: { ...CLUSTER, SLUICE_PEER_ADDRESS: '10.0.0.7:9100', SLUICE_PEER_BIND: 'eth0' },
    says: /^SLUICE_PEER_BIND is "eth0"; make it an IP address of this machine/,
  },
];

for (const { what, set, says } of refusals) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => readEnvironment(set),
      (error) => error instanceof ConfigError && says.test(error.message),
    );
  });
}
