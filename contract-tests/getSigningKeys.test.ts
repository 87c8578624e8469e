import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /.well-known/jwks.json', () => {
  const server = useServer();
  const get = () => server.api.call('getSigningKeys', { key: null });
  // First: an answer that is shared is given out without the database.
  itSurvivesAnOutage(server, 'getSigningKeys');
  itHasARate('public_requests_per_minute_per_address', 'getSigningKeys');
  itKeepsItsAnswer(server, 'getSigningKeys', { seconds: /^([1-9]|10)$/ });

  it('200 Ed25519 public keys, each named by its thumbprint, the first of all naming the issuer', async () => {
    const { issuer, keys } = (await get()).body(200);
    assert.equal(keys.length, 1);
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
      assert.deepEqual([key.kty, key.crv, key.use, key.alg], ['OKP', 'Ed25519', 'sig', 'EdDSA']);
      assert.equal(key.kid, await calculateJwkThumbprint(key as unknown as JWK));
    }
    assert.equal(issuer, `urn:sluice:${keys[0]?.kid}`);
  });

  it('200 the same after a restart', async () => {
    const { keys } = (await get()).body(200);
    await server.restart();
    assert.deepEqual((await get()).body(200).keys, keys);
  });
});
