import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/models', () => {
  const server = useServer();
  itHasARate('public_requests_per_minute_per_address', 'listModels');
  itKeepsItsAnswer(server, 'listModels');

  // Spec 1-24, 4.1-4
  it('200 every model on sale, in the configured order, without deprecated ones, and without a key', async () => {
    const list = (await server.api.call('listModels', { key: null })).body(200);
    assert.equal(list.object, 'list');
    assert.equal(list.default, 'tide');
    assert.deepEqual(list.reference_mix, { cached_share: 0.9, uncached_share: 0.1, output_per_input: 0.02 });
    assert.deepEqual(
      list.data.map(({ id }) => id),
      ['tide', 'harbor', 'reef', 'shoal', 'surge'],
    );
  });

  it('200 a model shows its other names', async () => {
    const { data } = (await server.api.call('listModels')).body(200);
    const named = data.filter(({ x_aliases: aliases }) => aliases !== undefined);
    assert.deepEqual(
      named.map(({ id, x_aliases: aliases }) => [id, aliases]),
      [['tide', ['tide-latest']]],
    );
  });

  it('200 a market model shows its ratio and no fixed price', async () => {
    const [tide] = (await server.api.call('listModels')).body(200).data;
    assert.deepEqual(tide?.pricing, { type: 'market' });
    assert.deepEqual(tide?.pricing_ratio, { cached: 0.1, uncached: 1, output: 4 });
    assert.equal(tide?.context_length, 1_048_576);
    assert.equal(tide?.max_output_length, 1024);
  });

  it('200 a fixed-price model shows its prices per million, at the mix, and per token as decimal strings', async () => {
    const harbor = (await server.api.call('listModels')).body(200).data.find(({ id }) => id === 'harbor');
    assert.deepEqual(harbor?.pricing, {
      type: 'fixed',
      usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 },
      level: 0.036,
      prompt: '0.0000001',
      completion: '0.0000004',
      input_cache_read: '0.00000002',
    });
    assert.deepEqual(harbor?.pricing_ratio, { cached: 0.02, uncached: 0.1, output: 0.4 });
  });

  // Spec 2.7-10
  it('200 a model in preview is marked', async () => {
    const { data } = (await server.api.call('listModels')).body(200);
    assert.equal(data.find(({ id }) => id === 'surge')?.preview, true);
    assert.ok(!data.find(({ id }) => id === 'tide')?.preview);
  });
});
