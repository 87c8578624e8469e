import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/market/levels', () => {
  const server = useServer();
  itHasARate('public_requests_per_minute_per_address', 'listLevels');
  itKeepsItsAnswer(server, 'listLevels', { seconds: /^1$/ });

  it('200 every market and no fixed-price model, previews marked', async () => {
    const { levels } = (await server.api.call('listLevels', { key: null })).body(200);
    const models = levels.map(({ model }) => model);
    assert.deepEqual(models.slice(0, 3), ['tide', 'reef', 'surge']);
    assert.ok(!models.includes('harbor') && !models.includes('shoal'));
    assert.equal(levels.find(({ model }) => model === 'surge')?.preview, true);
    assert.ok(!('preview' in (levels[0] ?? {})));
  });

  it('200 the same level as each market shows by itself', async () => {
    const { levels } = (await server.api.call('listLevels')).body(200);
    for (const { model, level } of levels) {
      assert.equal((await server.api.call('getMarket', { query: { model } })).body(200).level, level);
    }
  });
});
