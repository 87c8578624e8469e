import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { operations } from '#generated/operations.ts';
import { principalWith } from '#testing/principals.ts';
import type { ApiKey } from './principal.ts';
import { type Access, authorized, scopesOf } from './scopes.ts';

const budget = { amount: 1n, reset: 'never', fromMs: 0, spent: 0n, held: 0n } as const;
const accesses = ['inference', 'read', 'change', 'manage'] as const;

/** What a key reaches for each access; null where it is refused. */
function reachOf(key: Partial<ApiKey>): (string | null)[] {
  const reach = (access: Access) => {
    try {
      return authorized(principalWith({ key }), access, '127.0.0.1').reach.keyId === null ? 'all' : 'own';
    } catch (error) {
      assert.ok(error instanceof Fault && error.code === 'missing_scope' && error.status === 403);
      return null;
    }
  };
  return accesses.map(reach);
}

test('a key may do everything, and one with a budget or a list of models what concerns its own requests', () => {
  assert.deepEqual(reachOf({}), ['all', 'all', 'all', 'all']);
  assert.deepEqual(reachOf({ budget }), ['own', 'own', 'own', null]);
  assert.deepEqual(reachOf({ models: ['a'] }), ['own', 'own', 'own', null]);
});

test('scopes that are set win over budget and models', () => {
  assert.deepEqual(reachOf({ budget, scopes: ['inference', 'read_all', 'manage'] }), ['all', 'all', 'all', 'all']);
  assert.deepEqual(scopesOf({ budget, models: null, scopes: ['read_own'] }), ['read_own']);
});

test('each scope allows what it says, and no more', () => {
  assert.deepEqual(reachOf({ scopes: ['inference'] }), ['own', null, 'own', null]);
  assert.deepEqual(reachOf({ scopes: ['read_own'] }), [null, 'own', null, null]);
  assert.deepEqual(reachOf({ scopes: ['read_all'] }), [null, 'all', null, null]);
  assert.deepEqual(reachOf({ scopes: ['manage'] }), [null, null, 'all', 'all']);
  assert.deepEqual(reachOf({ scopes: ['inference', 'read_all'] }), ['all', 'all', 'own', null]);
});

test('a refusal names the scopes that would do, and those that the key has', () => {
  assert.throws(() => authorized(principalWith({ key: { budget } }), 'manage', '127.0.0.1'), {
    message: 'This request needs the scope manage, and this API key has inference, read_own.',
  });
});

test('the address comes before the scopes', () => {
  const owner = principalWith({ key: { scopes: ['read_own'], addresses: ['203.0.113.0/24'] } });
  assert.throws(() => authorized(owner, 'manage', '198.51.100.7'), { code: 'address_not_allowed', status: 403 });
  assert.throws(() => authorized(owner, 'manage', '203.0.113.7'), { code: 'missing_scope' });
  assert.throws(() => authorized(owner, 'read', undefined), { message: /from an unknown address\.$/ });
  assert.throws(() => authorized(owner, 'read', '<b>anything</b>'), { message: /from an unknown address\.$/ });
  assert.throws(() => authorized(owner, 'read', '198.51.100.7:4711'), { message: /from 198\.51\.100\.7\.$/ });
});

test('docs/buy/keys.md lists the operations of each scope as openapi.yaml has them', () => {
  const page = readFileSync(new URL('../../docs/buy/keys.md', import.meta.url), 'utf8');
  const rows = {
    inference: '`inference` | ',
    change: '`inference` or `manage` | `manage` ',
    read: '`read_own` or `read_all` | `read_all` ',
    manage: '| `manage` ',
  };
  for (const [access, scopes] of Object.entries(rows)) {
    const row = page.split('\n').find((line) => line.endsWith(` | ${scopes}|`)) ?? '';
    const [, cell = ''] = row.split('|');
    assert.deepEqual(
      [...cell.matchAll(/`(\w+)`/g)].map(([, id]) => id),
      Object.entries(operations).flatMap(([id, entry]) => ('scope' in entry && entry.scope === access ? [id] : [])),
      access,
    );
  }
});
