import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/market/estimate', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketEstimate', { query, key: null });
  itHasARate('public_requests_per_minute_per_address', 'getMarketEstimate', { query: { price_limit: '1' } });

  it('200 an order starts at once where slots are free, and pays the level at most', async () => {
    const answer = (await get({ price_limit: '2', input_tokens: '1000', output_tokens: '100' })).body(200);
    assert.partialDeepStrictEqual(answer, {
      ...{ model: 'tide', bid: 2, requests: 1, within_seconds: 60, chance: 1 },
      ...{ wait_p50_seconds: 0, wait_p90_seconds: 0 },
    });
    assert.ok(Number(answer.expected_charge_usd) < Number(answer.greatest_charge_usd));
  });

  it('200 the greatest charge is what an order of these tokens is charged at its limit', async () => {
    const reply = await server.api.call('createChatCompletion', { body: { ...chat(), price_limit: 1 } });
    const { usage } = reply.body(200);
    assert.ok(usage);
    const query = { input_tokens: `${usage.prompt_tokens}`, output_tokens: `${usage.completion_tokens}` };
    const { greatest_charge_usd: most } = (await get({ price_limit: '1', ...query })).body(200);
    const charged = usage.x_market.charged_usd ?? Number.NaN;
    assert.ok(charged > 0 && charged <= Number(most), `${charged} of at most ${most}`);
  });

  it('200 a lock bids the quote, within its window', async () => {
    const { price } = (await server.api.call('getPriceLock', { key: null })).body(200);
    assert.partialDeepStrictEqual((await get({ price_lock: 'true' })).body(200), { bid: price, within_seconds: 10 });
  });

  it('200 a forward quote for as many requests as there are slots, and nothing known of more', async () => {
    const fitting = (await get({ chance: '0.95', requests: '8' })).body(200);
    assert.partialDeepStrictEqual(fitting, { requests: 8, chance: 1 });
    assert.equal(typeof fitting.bid, 'number');
    assert.partialDeepStrictEqual((await get({ chance: '0.95', requests: '9' })).body(200), {
      bid: null,
      chance: null,
    });
  });

  it('200 how well estimates within 10, 60 and 300 seconds did, none yet of a new market', async () => {
    const { reliability } = (await get({ price_limit: '1' })).body(200);
    assert.deepEqual(
      reliability,
      [10, 60, 300].map((within_seconds) => ({ within_seconds, orders: 0, brier: null, tenths: [] })),
    );
    assert.deepEqual((await get({ model: 'surge', price_limit: '1' })).body(200).reliability, []);
  });

  it('200 a preview has no estimate', async () => {
    assert.partialDeepStrictEqual((await get({ model: 'surge', price_limit: '1' })).body(200), {
      ...{ model: 'surge', taken_at: null, chance: null, preview: true },
    });
  });

  it('200 the lowest bid for nine in ten where nothing is said', async () => {
    const [unsaid, said] = await Promise.all([get(), get({ chance: '0.9' })]);
    assert.equal(unsaid.body(200).bid, said.body(200).bid);
  });

  it('400 invalid_request with both a price and a chance, and for each parameter out of bounds', async () => {
    const wrong: Record<string, string>[] = [
      { price_limit: '1', chance: '0.5' },
      { chance: '0' },
      { price_limit: 'cheap' },
      { price_limit: '1', within_s: '86401' },
      { price_limit: '1', requests: '0' },
      { price_limit: '1', input_tokens: '-1' },
    ];
    for (const query of wrong) (await get(query)).refusal(400, 'invalid_request');
  });

  it('400 unknown_model for a model that is not served, fixed_price_model for one without a market', async () => {
    (await get({ model: 'nobody', price_limit: '1' })).refusal(400, 'unknown_model');
    (await get({ model: 'harbor', price_limit: '1' })).refusal(400, 'fixed_price_model');
  });
});
