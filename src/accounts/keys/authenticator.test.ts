import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '#access/principal.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { principalWith } from '#testing/principals.ts';
import { hashKey, newApiKey } from './api-key.ts';
import { Authenticator } from './authenticator.ts';

const secret = newApiKey();
const other = newApiKey();
const refused = { code: 'invalid_api_key', status: 401 };

function authenticatorOver(keys: Record<string, Principal>) {
  const clock = new ManualClock();
  const found = new Map(Object.entries(keys).map(([key, principal]) => [hashKey(key), principal]));
  const asked: string[] = [];
  const store = {
    async findByHash(hash: string) {
      asked.push(hash);
      const owner = found.get(hash);
      return owner ? { owner, untilMs: owner.key.expiresAtMs } : null;
    },
    account: async () => null,
  };
  return { authenticator: new Authenticator({ store, clock }), clock, asked, found };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test('a key identifies its account, whatever the case of the scheme', async () => {
  const principal = principalWith();
  const { authenticator } = authenticatorOver({ [secret]: principal });
  assert.equal(await authenticator.authenticate(bearer(secret), 'key'), principal);
  assert.equal(await authenticator.authenticate({ authorization: `bearer ${secret}` }, 'key'), principal);
});

test('no key, another scheme, an unknown key and a revoked key are refused', async () => {
  const { authenticator } = authenticatorOver({ [secret]: principalWith({ key: { revokedAtMs: 5 } }) });
  const headers = [{}, { authorization: '' }, { authorization: `Basic ${secret}` }, bearer(other), bearer(secret)];
  for (const sent of headers) await assert.rejects(authenticator.authenticate(sent, 'key'), refused);
});

test('quotes, NULs, injections and huge keys are refused without a lookup', async () => {
  const { authenticator, asked } = authenticatorOver({});
  const keys = [
    `${secret.slice(0, -1)}'`,
    `${secret.slice(0, -1)}\0`,
    "' OR SLEEP(5) -- ",
    'x'.repeat(10_000),
    'sk-sluice-',
  ];
  for (const key of keys) await assert.rejects(authenticator.authenticate(bearer(key), 'key'), refused);
  assert.deepEqual(asked, []);
});

test('x-api-key is read only on the Messages routes, and Authorization takes precedence', async () => {
  const principal = principalWith();
  const { authenticator } = authenticatorOver({ [secret]: principal });
  assert.equal(await authenticator.authenticate({ 'x-api-key': secret }, 'key-or-header'), principal);
  await assert.rejects(authenticator.authenticate({ 'x-api-key': secret }, 'key'), refused);
  assert.equal(await authenticator.authenticate({ ...bearer(secret), 'x-api-key': other }, 'key-or-header'), principal);
  await assert.rejects(authenticator.authenticate({ ...bearer(other), 'x-api-key': secret }, 'key-or-header'), refused);
});

test('an account that is suspended or being deleted is refused with 403', async () => {
  for (const status of ['suspended', 'deleting'] as const) {
    const { authenticator } = authenticatorOver({ [secret]: principalWith({ account: { status } }) });
    await assert.rejects(authenticator.authenticate(bearer(secret), 'key'), { code: 'account_suspended', status: 403 });
  }
});

test('after forget an account is looked up again, and no other one is', async () => {
  const changed = principalWith({ account: { id: 'changed' } });
  const { authenticator, asked } = authenticatorOver({ [secret]: changed, [other]: principalWith() });
  const askBoth = () => Promise.all([secret, other].map((key) => authenticator.authenticate(bearer(key), 'key')));
  await askBoth();
  authenticator.forget('changed');
  await askBoth();
  assert.deepEqual(asked, [hashKey(secret), hashKey(other), hashKey(secret)]);
});

test('a result is cached for a second, so a revoked key works no longer than that', async () => {
  const { authenticator, clock, asked, found } = authenticatorOver({ [secret]: principalWith() });
  await authenticator.authenticate(bearer(secret), 'key');
  found.clear();
  await clock.advance(999);
  await authenticator.authenticate(bearer(secret), 'key');
  assert.equal(asked.length, 1);
  await clock.advance(1);
  await assert.rejects(authenticator.authenticate(bearer(secret), 'key'), refused);
});

test('a refusal is not cached, so that a new key works at once', async () => {
  const { authenticator, found } = authenticatorOver({});
  await assert.rejects(authenticator.authenticate(bearer(secret), 'key'), refused);
  found.set(hashKey(secret), principalWith());
  await authenticator.authenticate(bearer(secret), 'key');
});

test('a failing store is not a refusal', async () => {
  const broken = { findByHash: () => Promise.reject(new Error('disk')), account: async () => null };
  const authenticator = new Authenticator({ store: broken, clock: new ManualClock() });
  await assert.rejects(authenticator.authenticate(bearer(secret), 'key'), { message: 'disk' });
});

test('concurrent requests share one lookup, and look up again after a refusal or a change', async () => {
  const principal = principalWith();
  const { authenticator, asked } = authenticatorOver({ [secret]: principal });
  const both = [authenticator.authenticate(bearer(secret), 'key'), authenticator.authenticate(bearer(secret), 'key')];
  assert.deepEqual(await Promise.all(both), [principal, principal]);
  assert.equal(asked.length, 1);
  const refusals = [authenticator.authenticate(bearer(other), 'key'), authenticator.authenticate(bearer(other), 'key')];
  for (const refusal of refusals) await assert.rejects(refusal, refused);
  assert.equal(asked.length, 2);
  await assert.rejects(authenticator.authenticate(bearer(other), 'key'), refused);
  assert.equal(asked.length, 3);
});

test('a lookup that began before a change is not cached after it', async () => {
  const principal = principalWith();
  const { authenticator, asked } = authenticatorOver({ [secret]: principal });
  const before = authenticator.authenticate(bearer(secret), 'key');
  authenticator.forget(principal.account.id);
  await before;
  await authenticator.authenticate(bearer(secret), 'key');
  assert.equal(asked.length, 2);
});

test('a key is refused from the moment at which it expires, even while it is cached', async () => {
  const { authenticator, clock, asked } = authenticatorOver({
    [secret]: principalWith({ key: { expiresAtMs: startMs + 500 } }),
  });
  await clock.advance(499);
  await authenticator.authenticate(bearer(secret), 'key');
  await clock.advance(1);
  await assert.rejects(authenticator.authenticate(bearer(secret), 'key'), {
    ...refused,
    message: /stopped working at 2026-01-01T00:00:00.500Z/,
  });
  assert.equal(asked.length, 1);
});
