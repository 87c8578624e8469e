import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat, pricesAt } from './support/chat.ts';
import { itHasARate } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };

describe('GET /v1/market/price-lock', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getPriceLock', { query, key: null });
  itHasARate('public_requests_per_minute_per_address', 'getPriceLock');

  it('200 is not to be cached, because a quote runs out', async () => {
    assert.equal((await server.api.call('getPriceLock', { key: null })).headers['cache-control'], 'no-store');
  });

  it('200 the quote of the default model, its price per kind of token, and how long it holds', async () => {
    const quote = (await get()).body(200);
    assert.ok(quote.price >= 1 && quote.price <= 100);
    const prices = pricesAt(quote.price, RATIO);
    for (const kind of ['cached', 'uncached', 'output'] as const) {
      assert.ok(Math.abs(quote.usd_per_million[kind] - prices[kind]) < 2e-9, kind);
    }
    assert.deepEqual(
      [quote.interval_ms, quote.execute_window_seconds, quote.target_start_rate, quote.clear_rate_window_ms],
      [10_000, 10, 0.95, 86_400_000],
    );
    assert.equal(Date.parse(quote.valid_until) - server.clock.nowMs(), quote.valid_for_ms);
    assert.ok(quote.valid_for_ms <= quote.interval_ms);
    assert.equal(Date.parse(quote.valid_until) % quote.interval_ms, 0);
  });

  it('200 each window has the price of the previous one', async () => {
    const first = (await get()).body(200);
    let next = first;
    while (next.valid_until === first.valid_until) {
      await server.pass(1000);
      next = (await get()).body(200);
    }
    assert.equal(next.previous_price, first.price);
    assert.equal(Date.parse(next.valid_until) - Date.parse(first.valid_until), 10_000);
  });

  it('200 an alias reads the quote of its model', async () => {
    assert.deepEqual((await get({ model: 'tide-latest' })).body(200), (await get({ model: 'tide' })).body(200));
  });

  it('200 a preview is quoted from its simulated level, marked, without a clear rate', async () => {
    const quote = (await get({ model: 'surge' })).body(200);
    assert.deepEqual([quote.preview, quote.clear_rate], [true, null]);
    assert.deepEqual([quote.scarce_clear_rate, quote.attainable], [null, null]);
    assert.ok(quote.price >= 1 && quote.price <= 100);
  });

  it('200 a market without a healthy pod keeps its quote', async () => {
    const { price } = (await get({ model: 'reef' })).body(200);
    await server.pass(20_000);
    assert.equal((await get({ model: 'reef' })).body(200).price, price);
  });

  it('200 a deprecated market stays readable', async () => {
    assert.ok((await get({ model: 'ebb' })).body(200).price >= 1);
  });

  it('200 a lock bids the quote, or its limit where that is lower', async () => {
    const { price } = (await get()).body(200);
    const bid = async (price_limit: number) => {
      const reply = await server.api.call('createChatCompletion', { body: chat({ price_lock: true, price_limit }) });
      return reply.body(200).usage.x_market.bid;
    };
    assert.deepEqual([await bid(price + 1), await bid(price / 2)], [price, price / 2]);
  });

  it('200 the clear rate is known after thirty locks', async () => {
    assert.equal((await get()).body(200).clear_rate, null);
    const lock = () => server.api.call('createChatCompletion', { body: chat({ price_lock: true, price_limit: 50 }) });
    for (let made = 0; made < 30; made++) assert.equal((await lock()).status, 200);
    await server.pass(20_000);
    const quote = (await get()).body(200);
    assert.equal(quote.clear_rate, 1);
    // This market is idle: its quote is the lowest price.
    assert.equal(quote.scarce_clear_rate, null);
  });

  it('200 whether the target is attainable is not known at first', async () => {
    assert.equal((await get({ model: 'reef' })).body(200).attainable, null);
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  it('400 fixed_price_model for a model without a market, pointing to the list of models', async () => {
    assert.match((await get({ model: 'harbor' })).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});

describe('GET /v1/market/price-lock of a market that is full', () => {
  const pod = { id: 'tide-1', simulated: true, slots: 2, seed: 1 };
  const pricing_ratio = { cached: 0.1, uncached: 1, output: 4 };
  const terms = {
    type: 'market',
    context_length: 8192,
    max_output_length: 1024,
    pricing_ratio,
    floor: 1,
    ceiling: 100,
  };
  const server = useServer({ default_model: 'tide', models: [{ ...terms, id: 'tide', pods: [pod] }] });
  const quote = async () => (await server.api.call('getPriceLock', { key: null })).body(200);
  /** An order that holds its slot for forty seconds. */
  const place = async () => {
    const x_simulate = { output_tokens: 40, first_token_ms: 0, token_ms: 1000 };
    const body = chat({ model: 'tide', price_limit: 20, detached: true, x_simulate });
    return (await server.api.call('createChatCompletion', { body })).body(202).id;
  };
  const lock = () =>
    server.api.call('createChatCompletion', { body: chat({ model: 'tide', price_limit: 90, price_lock: true }) });

  it('200 scarce_clear_rate counts locks above the floor, and attainable is false where slots come free too seldom', async () => {
    const orders: string[] = [];
    for (let order = 0; order < 6; order++) orders.push(await place());
    await server.pass(130_000);
    // What waits stands before a lock as far as its account has held slots.
    for (let order = 0; order < 8; order++) orders.push(await place());
    await server.pass(20_000);
    const full = await quote();
    assert.ok(full.price > terms.floor, `${full.price}`);
    assert.deepEqual([full.scarce_clear_rate, full.attainable], [null, false]);
    const replies = await server.passTimeUntil(Promise.all(Array.from({ length: 40 }, lock)));
    const started = replies.filter(({ status }) => status === 200).length;
    assert.ok(started < 10, `${started} started`);
    for (const id of orders) await server.api.call('cancelOrder', { params: { id } });
    await server.passTimeUntil(server.orders({ queued: 0, executing: 0 }));
    await server.pass(10_000);
    const { clear_rate, scarce_clear_rate, attainable } = await quote();
    assert.deepEqual([clear_rate, scarce_clear_rate, attainable], [started / 40, started / 40, false]);
  });

  it('200 a restart remembers both', async () => {
    const before = await quote();
    await server.restart();
    await server.pass(20_000);
    const after = await quote();
    for (const figure of ['clear_rate', 'scarce_clear_rate', 'attainable'] as const) {
      assert.equal(after[figure], before[figure], figure);
    }
  });
});
