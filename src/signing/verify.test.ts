/** What is accepted as signed by a gateway, and all that is refused. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { ManualClock } from '#testing/manual-clock.ts';
import { type KeySet, Signer } from './signer.ts';
import type { StoredSigningKey } from './signing-key.ts';
import { NotVerified, readKeySet, verifyStatement } from './verify.ts';

const CLAIMS = { order_id: 'one', charged_nano_usd: 250_000 };

/** A signer over keys in memory. */
function memorySigner() {
  const keys: StoredSigningKey[] = [];
  const add = async (key: StoredSigningKey) => void keys.unshift(key);
  return new Signer({
    store: { list: async () => [...keys], add, addFirst: add },
    ownKey: null,
    clock: new ManualClock(0),
  });
}

async function signed(): Promise<{ jws: string; keySet: KeySet; kid: string }> {
  const signer = memorySigner();
  const { jws } = await signer.sign('receipt', CLAIMS);
  const keySet = await signer.keySet();
  return { jws, keySet, kid: keySet.keys[0]?.kid ?? '' };
}

const saved = (keySet: object) => readKeySet(JSON.stringify(keySet));
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refusalOf(jws: string, keySet: object): Promise<string> {
  const error = await verifyStatement(jws, saved(keySet)).then(
    () => assert.fail('It was verified.'),
    (reason) => reason,
  );
  assert.ok(error instanceof NotVerified, String(error));
  return error.message;
}

test('what a gateway signed is verified with its saved keys alone', async () => {
  const { jws, keySet, kid } = await signed();
  const verified = await verifyStatement(jws, saved(keySet));
  assert.deepEqual(verified, { kid, type: 'receipt', claims: { iss: keySet.issuer, ...CLAIMS } });
});

test('a changed character anywhere is refused', async () => {
  const { jws, keySet } = await signed();
  for (let at = 0; at < jws.length; at++) {
    // Of the last character of a signature only two bits count, and in them A and Q differ.
    const other = jws[at] === 'A' ? 'Q' : 'A';
    await refusalOf(`${jws.slice(0, at)}${other}${jws.slice(at + 1)}`, keySet);
  }
});

test('a changed digit of the payload is refused, in words', async () => {
  const { jws, keySet } = await signed();
  const [head, payload = '', signature] = jws.split('.');
  const cheaper = Buffer.from(payload, 'base64url').toString().replace('250000', '150000');
  const forged = [head, Buffer.from(cheaper).toString('base64url'), signature].join('.');
  assert.match(await refusalOf(forged, keySet), /something was changed after it was signed/);
});

test('alg none is refused, with a signature and without', async () => {
  const { jws, keySet, kid } = await signed();
  const [, payload, signature] = jws.split('.');
  for (const alg of ['none', 'None', 'NONE'])
    for (const end of ['', signature])
      await refusalOf([part({ alg, kid, typ: 'sluice-receipt+jws' }), payload, end].join('.'), keySet);
});

test('a signature with the public key as a secret is refused', async () => {
  const { jws, keySet, kid } = await signed();
  const [, payload] = jws.split('.');
  const head = part({ alg: 'HS256', kid, typ: 'sluice-receipt+jws' });
  for (const secret of [keySet.keys[0]?.x ?? '', JSON.stringify(keySet.keys[0])]) {
    const mac = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
    assert.match(await refusalOf(`${head}.${payload}.${mac}`, keySet), /not signed with EdDSA/);
  }
});

test('a key that comes with the statement, or is named by it and not in the set, is refused', async () => {
  const { jws, keySet, kid } = await signed();
  const [, payload] = jws.split('.');
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  for (const [header, sentence] of [
    [{ kid: 'another' }, /not in the key set/],
    [{ kid: 'another', jwk }, /not in the key set/],
    [{ kid, jwk }, /changed after it was signed/],
    [{ jwk }, /names no key/],
    [{}, /names no key/],
  ] as const) {
    const head = part({ alg: 'EdDSA', typ: 'sluice-receipt+jws', ...header });
    const forged = `${head}.${payload}.${sign(null, Buffer.from(`${head}.${payload}`), privateKey).toString('base64url')}`;
    assert.match(await refusalOf(forged, keySet), sentence);
  }
});

test('a statement of another issuer is refused, also when its key is in the set', async () => {
  const { jws, keySet } = await signed();
  const other = await signed();
  const both = { issuer: keySet.issuer, keys: [...keySet.keys, ...other.keySet.keys] };
  await verifyStatement(jws, saved(both));
  assert.match(await refusalOf(other.jws, both), /It was issued by "urn:sluice:/);
  await assert.rejects(verifyStatement(jws, saved(keySet), 'urn:sluice:another'), NotVerified);
});

test('a statement of another kind is refused', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const keySet = { issuer: 'one', keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'k', alg: 'EdDSA', use: 'sig' }] };
  for (const typ of ['JWT', undefined]) {
    const text = `${part({ alg: 'EdDSA', kid: 'k', typ })}.${part({ iss: 'one' })}`;
    const jws = `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    assert.match(await refusalOf(jws, keySet), /unknown kind/);
  }
});

test('what is no statement, and what is no key set, is refused', async () => {
  const { keySet } = await signed();
  for (const text of ['', 'a', 'a.b', 'a.b.c', '..', '{}'])
    assert.match(await refusalOf(text, keySet), /no JWS that can be read/);
  for (const text of ['', '[]', 'null', '{}', '{"keys":1}']) assert.throws(() => readKeySet(text), NotVerified);
  const { jws } = await signed();
  assert.match(await refusalOf(jws, { keys: [{ kty: 'oct', k: 'AA', kid: 'x' }, null, 3] }), /not in the key set/);
});
