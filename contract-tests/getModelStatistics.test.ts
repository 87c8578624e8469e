import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/stats/models', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getModelStatistics', { query, key: null });
  const order = (body: Record<string, unknown>) => server.api.call('createChatCompletion', { body });
  itHasARate('public_requests_per_minute_per_address', 'getModelStatistics');
  itSurvivesAnOutage(server, 'getModelStatistics');

  // Spec 4.9-63
  it('200 a row for every model, idle, preview and deprecated ones too, markets first', async () => {
    const { data, ...envelope } = (await get()).body(200);
    assert.deepEqual(envelope, {
      range: '24h',
      top: 'tide',
      default: 'tide',
      models: ['tide', 'harbor', 'reef', 'shoal', 'surge', 'ebb'],
    });
    assert.deepEqual(
      data.map(({ model, pricing, preview, degraded }) => [model, pricing, preview, degraded]),
      [
        ['tide', 'market', false, false],
        ['reef', 'market', false, true],
        ['surge', 'market', true, false],
        ['ebb', 'market', false, true],
        ['harbor', 'fixed', false, false],
        ['shoal', 'fixed', false, true],
      ],
    );
    for (const { requests, total_tokens } of data) assert.deepEqual([requests, total_tokens], [0, 0]);
  });

  it('200 a market shows its level, a fixed-price model none', async () => {
    const { data } = (await get()).body(200);
    const { level } = (await server.api.call('getMarket')).body(200);
    assert.equal(data.find(({ model }) => model === 'tide')?.level, level);
    assert.equal(data.find(({ model }) => model === 'harbor')?.level, null);
  });

  it('200 tokens and requests of the window add up', async () => {
    for (let made = 0; made < 3; made++) (await order(chat({ model: 'harbor' }))).body(200);
    const { usage } = (await order(chat())).body(200);
    const { data, top } = (await get()).body(200);
    assert.equal(top, 'tide');
    const tide = data.find(({ model }) => model === 'tide');
    assert.deepEqual(
      [tide?.input_tokens, tide?.output_tokens, tide?.total_tokens, tide?.requests],
      [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, 1],
    );
    assert.equal(tide?.cached_tokens, usage.prompt_tokens_details.cached_tokens);
    assert.equal((tide?.cached_tokens ?? 0) + (tide?.miss_tokens ?? 0), tide?.input_tokens);
    assert.equal(data.find(({ model }) => model === 'harbor')?.requests, 3);
  });

  it('200 an unknown range is served as 24h, a known one as requested', async () => {
    assert.equal((await get({ range: '1h' })).body(200).range, '24h');
    assert.equal((await get({ range: '30d' })).body(200).range, '30d');
  });

  describe('with two serving markets', () => {
    const market = (id: string) => ({
      id,
      type: 'market',
      context_length: 8192,
      max_output_length: 1024,
      pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
      floor: 1,
      ceiling: 100,
      pods: [{ id: `${id}-1`, simulated: true, slots: 2, seed: 1 }],
    });
    const rich = useServer({ default_model: 'one', models: [market('one'), market('two')] });

    it('200 the market that earned more comes first, whatever the order in the configuration', async () => {
      const body = chat({ model: 'two', max_tokens: 5 });
      const reply = rich.api.call('createChatCompletion', { body });
      (await rich.passTimeUntil(reply)).body(200);
      const { top, models, data } = (await rich.api.call('getModelStatistics')).body(200);
      assert.deepEqual([top, models], ['two', ['one', 'two']]);
      assert.deepEqual(
        data.map(({ model, requests }) => [model, requests]),
        [
          ['two', 1],
          ['one', 0],
        ],
      );
    });
  });
});
