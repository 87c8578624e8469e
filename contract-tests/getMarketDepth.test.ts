import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itKeepsItsAnswer } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const WINDOW_MS = 10_000;

describe('GET /v1/market/depth', () => {
  const server = useServer();
  const get = (query: Record<string, string> = {}) => server.api.call('getMarketDepth', { query, key: null });
  const wait = async (key: string, price_limit: number) => {
    const body = { ...chat({ model: 'reef', max_tokens: 5 }), price_limit, detached: true };
    (await server.api.as(key).call('createChatCompletion', { body })).body(202);
  };
  itHasARate('public_requests_per_minute_per_address', 'getMarketDepth');
  itKeepsItsAnswer(server, 'getMarketDepth', { seconds: /^[1-5]$/ });

  it('200 the slots of a market in which nothing waits', async () => {
    await server.pass(2 * WINDOW_MS + 5_000);
    const { model, slots, busy_slots, accounts_min, steps, taken_at } = (await get()).body(200);
    assert.deepEqual([model, slots, busy_slots, accounts_min, steps], ['tide', 8, 0, 3, []]);
    const ageMs = server.clock.nowMs() - Date.parse(String(taken_at));
    assert.ok(ageMs >= WINDOW_MS && ageMs < 2 * WINDOW_MS + 5_000, `${ageMs} ms old`);
  });

  it('200 orders of three accounts are a step, those of two are nowhere', async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => server.createAccount()));
    for (const { key } of accounts.slice(1)) await wait(key, 2);
    await server.pass(3 * WINDOW_MS);
    assert.deepEqual((await get({ model: 'reef' })).body(200).steps, []);
    for (const { key } of accounts.slice(0, 1)) await wait(key, 2.4);
    await server.pass(3 * WINDOW_MS);
    assert.deepEqual((await get({ model: 'reef' })).body(200).steps, [{ price: 2, orders: 3 }]);
  });

  it('200 a preview has no orders, and nothing is known of it', async () => {
    assert.deepEqual((await get({ model: 'surge' })).body(200), {
      ...{ model: 'surge', taken_at: null, slots: null, busy_slots: null, accounts_min: 3, steps: [] },
      preview: true,
    });
  });

  it('200 an alias names its model', async () => {
    assert.equal((await get({ model: 'tide-latest' })).body(200).model, 'tide');
  });

  it('400 unknown_model for a model that is not served', async () => {
    assert.equal((await get({ model: 'nobody' })).refusal(400, 'unknown_model').param, 'model');
  });

  it('400 fixed_price_model for a model without a market', async () => {
    assert.match((await get({ model: 'harbor' })).refusal(400, 'fixed_price_model').message, /GET \/v1\/models/);
  });
});
