import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/stats/tokens', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getTokenStatistics', { query, key: null });
  itHasARate('public_requests_per_minute_per_address', 'getTokenStatistics');
  itSurvivesAnOutage(server, 'getTokenStatistics');

  it('200 no traffic before the first sale, for every range with its buckets', async () => {
    const table = [
      ['24h', 900, 1],
      ['7d', 3600, 7],
      ['30d', 14_400, 30],
    ] as const;
    for (const [range, bucketS, days] of table) {
      const { from, to, ...rest } = (await get({ range })).body(200);
      assert.deepEqual(rest, { range, model: null, bucket_seconds: bucketS, series: [] });
      assert.deepEqual([from % bucketS, to % bucketS, to - from], [0, 0, days * 86_400]);
      assert.ok(from * 1000 <= server.clock.nowMs() && server.clock.nowMs() < to * 1000);
    }
  });

  it('200 an unknown range is served as 24h, and the answer says so', async () => {
    assert.equal((await get({ range: '1y' })).body(200).range, '24h');
  });

  // Spec 4.9-55
  it('200 the billed tokens, equal to the usage record, in the bucket of the settlement', async () => {
    for (const model of ['tide', 'tide-latest', 'harbor']) {
      (await server.api.call('createChatCompletion', { body: chat({ model }) })).body(200);
    }
    const [record] = (await server.api.call('listUsage', { query: { model: 'tide', limit: 1 } })).body(200).data;
    assert.ok(record);
    const { series, bucket_seconds } = (await get()).body(200);
    assert.deepEqual(
      series.map(({ model }) => model),
      ['tide', 'harbor'],
    );
    const atS = Date.parse(record.created_at) / 1000;
    const missed = record.prompt_tokens - record.cached_tokens;
    assert.deepEqual(series[0]?.points, [
      {
        t: atS - (atS % bucket_seconds),
        input_tokens: 2 * record.prompt_tokens,
        cached_tokens: 2 * record.cached_tokens,
        miss_tokens: 2 * missed,
        output_tokens: 2 * record.output_tokens,
        requests: 2,
      },
    ]);
  });

  it('200 one model, by alias, under its real id', async () => {
    const { model, series } = (await get({ model: 'tide-latest' })).body(200);
    assert.deepEqual([model, series.map((one) => one.model)], ['tide', ['tide']]);
  });

  // Spec 4.9-57
  it('200 a preview and a deprecated model have no series', async () => {
    for (const model of ['surge', 'ebb']) assert.deepEqual((await get({ model })).body(200).series, []);
  });

  it('200 an order that was refused, or ended uncharged, does not count', async () => {
    const before = (await get()).body(200).series;
    (await server.api.call('createChatCompletion', { body: chat({ price_limit: -1 }) })).refusal(
      400,
      'invalid_price_limit',
    );
    const order = { body: chat({ model: 'reef', detached: true }) };
    const { id } = (await server.api.call('createChatCompletion', order)).body(202);
    await server.api.call('cancelOrder', { params: { id } });
    assert.deepEqual((await get()).body(200).series, before);
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });
});
