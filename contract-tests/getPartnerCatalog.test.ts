import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aggregatable, aggregatableFlat } from '#testing/provider-schema.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /partner/v1/models', () => {
  const server = useServer();
  const get = (query: Readonly<Record<string, string>> = {}) =>
    server.api.call('getPartnerCatalog', { key: null, query });
  itHasARate('partner_requests_per_minute_per_address', 'getPartnerCatalog');
  itKeepsItsAnswer(server, 'getPartnerCatalog', { seconds: /^([0-9]|10)$/ });

  // Spec 4.9-67
  it('200 every model except previews, in the provider schema, deprecated ones as not ready', async () => {
    const { data } = aggregatable((await get()).body(200));
    assert.deepEqual(
      data.map(({ id, is_ready }) => [id, is_ready]),
      [
        ['tide', true],
        ['harbor', true],
        ['reef', false],
        ['shoal', false],
        ['ebb', false],
      ],
    );
    const ebb = data.find(({ id }) => id === 'ebb');
    assert.ok(ebb?.deprecation_date && Date.parse(ebb.deprecation_date) < server.clock.nowMs());
  });

  // Spec 4.9-65
  it('200 a market is listed at its current quote, a fixed-price model at its own prices', async () => {
    const quote = (await server.api.call('getPriceLock')).body(200);
    const { data } = aggregatable((await get()).body(200));
    const costs = (id: string) => {
      const entry = data.find((one) => one.id === id);
      assert.ok(entry);
      const prices = [...entry.input_modalities, ...entry.output_modalities].flatMap(({ pricing }) => pricing ?? []);
      return new Map(prices.map(({ type, cost_usd }) => [type, cost_usd]));
    };
    const tide = costs('tide');
    const pairs = [
      ['prompt', quote.usd_per_million.uncached],
      ['cached_prompt', quote.usd_per_million.cached],
      ['completion', quote.usd_per_million.output],
    ] as const;
    for (const [type, perMillion] of pairs) {
      assert.ok(Math.abs(Number(tide.get(type)) * 1e6 - perMillion) < 1e-9, type);
    }
    assert.deepEqual(Object.fromEntries(costs('harbor')), {
      prompt: '0.0000001',
      cached_prompt: '0.00000002',
      completion: '0.0000004',
    });
  });

  // Spec 4.9-69
  it('200 reading it locks no request: a later one bids its price limit and waits its own time', async () => {
    await get();
    const body = chat({ model: 'reef', detached: true, price_limit: 5, max_wait: 600 });
    const { id } = (await server.api.call('createChatCompletion', { body })).body(202);
    const query = { include: 'pricing' };
    const order = (await server.api.call('getOrder', { params: { id }, query })).body(200);
    assert.deepEqual([order.bid, order.price_lock], [5, false]);
    assert.equal(Date.parse(order.expires_at) - Date.parse(order.created_at), 600_000);
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
  });

  it('200 the headers say how long its prices hold', async () => {
    const { headers } = await get();
    const quote = (await server.api.call('getPriceLock')).body(200);
    assert.equal(headers['x-price-valid-until'], quote.valid_until);
    assert.equal(headers['x-price-window-seconds'], String(quote.interval_ms / 1000));
    assert.equal(headers['cache-control'], `public, max-age=${Math.floor(quote.valid_for_ms / 1000)}`);
    assert.match(String(headers['access-control-expose-headers']), /x-price-valid-until, x-price-window-seconds/);
  });

  describe('in the flat form', () => {
    const format = { query: { format: 'flat' } };
    itKeepsItsAnswer(server, 'getPartnerCatalog', { ...format, seconds: /^([0-9]|10)$/ });

    it('200 the same models, with the same readiness and prices', async () => {
      const full = aggregatable((await get()).body(200)).data;
      const flat = aggregatableFlat((await get(format.query)).body(200)).data;
      const told = full.map((entry) => {
        const [prompt, cached] = entry.input_modalities[0]?.pricing ?? [];
        const [completion] = entry.output_modalities[0]?.pricing ?? [];
        return [entry.id, entry.is_ready, prompt?.cost_usd, cached?.cost_usd, completion?.cost_usd];
      });
      const toldFlat = flat.map(({ id, is_ready, pricing }) => {
        return [id, is_ready, pricing.prompt, pricing.input_cache_read, pricing.completion];
      });
      assert.deepEqual(toldFlat, told);
      const quote = (await server.api.call('getPriceLock')).body(200);
      const tide = flat.find(({ id }) => id === 'tide');
      assert.ok(Math.abs(Number(tide?.pricing.prompt) * 1e6 - quote.usd_per_million.uncached) < 1e-9);
      const ebb = flat.find(({ id }) => id === 'ebb');
      assert.ok(ebb?.deprecation_date && Date.parse(ebb.deprecation_date) < server.clock.nowMs());
    });

    it('200 with the same headers as the other form', async () => {
      const [full, flat] = [(await get()).headers, (await get(format.query)).headers];
      for (const name of ['cache-control', 'x-price-valid-until', 'x-price-window-seconds']) {
        assert.equal(flat[name], full[name], name);
      }
      assert.notEqual(flat.etag, full.etag);
    });
  });

  it('400 for an unknown form, naming the known ones', async () => {
    const refusal = (await get({ format: 'round' })).refusal(400, 'invalid_request');
    assert.deepEqual([refusal.param, refusal.message], ['format', 'format takes flat.']);
    assert.equal((await get({ format: '' })).status, 200);
  });

  describe('below a prefix of the operator', () => {
    const moved = useServer({
      partner_prefix: '/for/aggregators',
      limits: { public_requests_per_minute_per_address: 5 },
    });

    it('200 at that prefix, without the public rate limit; 404 at the default; the document has the prefix', async () => {
      for (let asked = 0; asked < 6; asked++) {
        const there = await moved.api.request('get', '/for/aggregators/v1/models', { key: null });
        assert.equal(there.status, 200);
        aggregatable(JSON.parse((await there.whole()).text));
      }
      const former = await moved.api.request('get', '/partner/v1/models', { key: null });
      assert.equal(former.status, 404);
      await former.whole();
      const { paths } = JSON.parse((await moved.api.call('getOpenapi', { key: null })).text);
      assert.ok(paths['/for/aggregators/v1/models'] && !paths['/partner/v1/models']);
    });
  });
});
