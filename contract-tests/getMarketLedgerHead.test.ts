import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { itHasARate, itKeepsItsAnswer, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/market/ledger/head', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketLedgerHead', { query, key: null });
  // First: an answer that is shared is given out without the database.
  itSurvivesAnOutage(server, 'getMarketLedgerHead');
  itHasARate('public_requests_per_minute_per_address', 'getMarketLedgerHead');
  itKeepsItsAnswer(server, 'getMarketLedgerHead', { seconds: /^[1-5]$/ });

  it('200 the newest row of each chain, signed with a published key', async () => {
    await server.pass(30_000);
    const keys = (await server.api.call('getSigningKeys', { key: null })).body(200);
    for (const chain of ['levels', 'quotes']) {
      const { model, head, jws } = (await get({ chain })).body(200);
      assert.equal(model, 'tide');
      const { payload, protectedHeader } = await compactVerify(
        jws ?? '',
        createLocalJWKSet(keys as unknown as JSONWebKeySet),
        { algorithms: ['EdDSA'] },
      );
      assert.equal(protectedHeader.typ, 'sluice-ledger-head+jws');
      assert.deepEqual(JSON.parse(new TextDecoder().decode(payload)), head);
      assert.deepEqual([head?.iss, head?.model, head?.chain], [keys.issuer, 'tide', chain]);
      const query = { chain, after: (head?.number ?? 0) - 1, limit: 1 };
      const [row] = (await server.api.call('getMarketLedger', { query, key: null })).body(200).data;
      assert.deepEqual([row?.number, row?.hash], [head?.number, head?.hash]);
    }
  });

  it('200 a preview says what it is', async () => {
    assert.equal((await get({ model: 'surge' })).body(200).preview, true);
  });

  it('400 for a chain or a model that is none', async () => {
    assert.equal((await get({ chain: 'prices' })).refusal(400, 'invalid_request').param, 'chain');
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
    (await get({ model: 'harbor' })).refusal(400, 'fixed_price_model');
  });
});
