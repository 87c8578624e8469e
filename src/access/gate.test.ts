import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '#base/clock.ts';
import { principalWith } from '#testing/principals.ts';
import { hashKey, newApiKey } from './api-key.ts';
import { Gate } from './gate.ts';
import type { Principal } from './principal.ts';

const secret = newApiKey();
const other = newApiKey();
const refused = { code: 'invalid_api_key', status: 401 };

function gateOver(keys: Record<string, Principal>) {
  const clock = new ManualClock();
  const found = new Map(Object.entries(keys).map(([key, principal]) => [hashKey(key), principal]));
  const asked: string[] = [];
  const store = {
    async findByHash(hash: string) {
      asked.push(hash);
      return found.get(hash) ?? null;
    },
    account: async () => null,
  };
  return { gate: new Gate({ store, clock }), clock, asked, found };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test('a key opens its account, whatever the case of the scheme', async () => {
  const principal = principalWith();
  const { gate } = gateOver({ [secret]: principal });
  assert.equal(await gate.authenticate(bearer(secret), 'key'), principal);
  assert.equal(await gate.authenticate({ authorization: `bearer ${secret}` }, 'key'), principal);
});

test('no key, another scheme, an unknown key and a revoked key are refused', async () => {
  const { gate } = gateOver({ [secret]: principalWith({ key: { revokedAtMs: 5 } }) });
  const headers = [{}, { authorization: '' }, { authorization: `Basic ${secret}` }, bearer(other), bearer(secret)];
  for (const sent of headers) await assert.rejects(gate.authenticate(sent, 'key'), refused);
});

test('quotes, NULs, injections and huge keys are refused without a look-up', async () => {
  const { gate, asked } = gateOver({});
  const keys = [
    `${secret.slice(0, -1)}'`,
    `${secret.slice(0, -1)}\0`,
    "' OR SLEEP(5) -- ",
    'x'.repeat(10_000),
    'sk-sluice-',
  ];
  for (const key of keys) await assert.rejects(gate.authenticate(bearer(key), 'key'), refused);
  assert.deepEqual(asked, []);
});

test('x-api-key is read on the Messages routes only, and Authorization wins over it', async () => {
  const principal = principalWith();
  const { gate } = gateOver({ [secret]: principal });
  assert.equal(await gate.authenticate({ 'x-api-key': secret }, 'key-or-header'), principal);
  await assert.rejects(gate.authenticate({ 'x-api-key': secret }, 'key'), refused);
  assert.equal(await gate.authenticate({ ...bearer(secret), 'x-api-key': other }, 'key-or-header'), principal);
  await assert.rejects(gate.authenticate({ ...bearer(other), 'x-api-key': secret }, 'key-or-header'), refused);
});

test('an account that is suspended or being deleted is refused with 403', async () => {
  for (const status of ['suspended', 'deleting'] as const) {
    const { gate } = gateOver({ [secret]: principalWith({ account: { status } }) });
    await assert.rejects(gate.authenticate(bearer(secret), 'key'), { code: 'account_suspended', status: 403 });
  }
});

test('an account that is forgotten is asked about anew, and no other', async () => {
  const changed = principalWith({ account: { id: 'changed' } });
  const { gate, asked } = gateOver({ [secret]: changed, [other]: principalWith() });
  const askBoth = () => Promise.all([secret, other].map((key) => gate.authenticate(bearer(key), 'key')));
  await askBoth();
  gate.forget('changed');
  await askBoth();
  assert.deepEqual(asked, [hashKey(secret), hashKey(other), hashKey(secret)]);
});

test('an answer is reused for a second, so that a revoked key goes on no longer', async () => {
  const { gate, clock, asked, found } = gateOver({ [secret]: principalWith() });
  await gate.authenticate(bearer(secret), 'key');
  found.clear();
  await clock.advance(999);
  await gate.authenticate(bearer(secret), 'key');
  assert.equal(asked.length, 1);
  await clock.advance(1);
  await assert.rejects(gate.authenticate(bearer(secret), 'key'), refused);
});

test('a refusal is not remembered, so that a new key works at once', async () => {
  const { gate, found } = gateOver({});
  await assert.rejects(gate.authenticate(bearer(secret), 'key'), refused);
  found.set(hashKey(secret), principalWith());
  await gate.authenticate(bearer(secret), 'key');
});

test('a store that fails is no refusal', async () => {
  const broken = { findByHash: () => Promise.reject(new Error('disk')), account: async () => null };
  const gate = new Gate({ store: broken, clock: new ManualClock() });
  await assert.rejects(gate.authenticate(bearer(secret), 'key'), { message: 'disk' });
});

test('requests that come together ask once, and each asks anew after a refusal or a change', async () => {
  const principal = principalWith();
  const { gate, asked } = gateOver({ [secret]: principal });
  const both = [gate.authenticate(bearer(secret), 'key'), gate.authenticate(bearer(secret), 'key')];
  assert.deepEqual(await Promise.all(both), [principal, principal]);
  assert.equal(asked.length, 1);
  const refusals = [gate.authenticate(bearer(other), 'key'), gate.authenticate(bearer(other), 'key')];
  for (const refusal of refusals) await assert.rejects(refusal, refused);
  assert.equal(asked.length, 2);
  await assert.rejects(gate.authenticate(bearer(other), 'key'), refused);
  assert.equal(asked.length, 3);
});

test('an answer that was asked for before a change is not kept after it', async () => {
  const principal = principalWith();
  const { gate, asked } = gateOver({ [secret]: principal });
  const before = gate.authenticate(bearer(secret), 'key');
  gate.forget(principal.account.id);
  await before;
  await gate.authenticate(bearer(secret), 'key');
  assert.equal(asked.length, 2);
});
