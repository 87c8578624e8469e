import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const terms = {
  type: 'market',
  context_length: 8192,
  max_output_length: 1024,
  pricing_ratio: { cached: 0.1, uncached: 1, output: 4 },
  ceiling: 100,
};

describe('the reserve of a market', () => {
  const server = useServer({
    default_model: 'tide',
    models: [
      { ...terms, id: 'tide', floor: 1, reserve: 5, pods: [{ id: 'tide-1', simulated: true, slots: 2, seed: 1 }] },
      { ...terms, id: 'surge', reserve: 99, preview: true },
      { ...terms, id: 'ebb', floor: 2 },
    ],
  });
  const place = async (price_limit: number, fields: Record<string, unknown> = {}) => {
    const body = chat({ model: 'tide', detached: true, price_limit, max_tokens: 5, ...fields });
    return (await server.api.call('createChatCompletion', { body })).body(202).id;
  };
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);
  const run = async (fields: Record<string, unknown>) => {
    const body = chat({ model: 'tide', max_tokens: 5, ...fields });
    return server.passTimeUntil(server.api.call('createChatCompletion', { body }));
  };

  it('200 a model shows its reserve, which is 0 unless it has one', async () => {
    const { data } = (await server.api.call('listModels')).body(200);
    assert.deepEqual(
      data.map(({ reserve }) => reserve),
      [5, 99, 0],
    );
    const model = (await server.api.call('getModel', { params: { model: 'tide' } })).body(200);
    assert.equal(model.reserve, 5);
  });

  it('200 an idle market, its quote and a preview stand at the reserve or above', async () => {
    await server.pass(20_000);
    const { levels } = (await server.api.call('listLevels')).body(200);
    const levelOf = (id: string) => levels.find(({ model }) => model === id)?.level ?? 0;
    assert.equal(levelOf('tide'), 5);
    assert.ok(levelOf('surge') >= 99);
    assert.equal((await server.api.call('getPriceLock')).body(200).price, 5);
  });

  it('202 an order below the reserve is accepted and waits beside free slots, until it is repriced', async () => {
    const id = await server.uncharged(async () => {
      const waiting = await place(4.99);
      await server.pass(15_000);
      const { status, bid, queue_position } = await orderOf(waiting);
      assert.deepEqual([status, bid, queue_position], ['queued', 4.99, 1]);
      return waiting;
    });
    const { usage } = (await run({ price_limit: 5 })).body(200);
    assert.deepEqual([usage.x_market.bid, usage.x_market.level_at_execution], [5, 5]);
    assert.equal((await orderOf(id)).status, 'queued');
    await server.api.call('repriceOrders', { body: { ids: [id], price_limit: 6 } });
    await server.passTimeUntil(server.orders({ queued: 0, executing: 0 }));
    const { status, level_at_execution } = await orderOf(id);
    assert.deepEqual([status, level_at_execution], ['done', 5]);
  });

  it('408 order_expired for an order below the reserve that waited for max_wait', async () => {
    (await server.uncharged(() => run({ price_limit: 4, max_wait: 10 }))).refusal(408, 'order_expired');
  });

  it('429 capacity_unavailable for a lock whose price limit is below the reserve', async () => {
    const reply = await server.uncharged(() => run({ price_limit: 4, price_lock: true }));
    reply.refusal(429, 'capacity_unavailable');
  });

  it('200 a lock whose price limit is above the reserve bids the quote and runs', async () => {
    const { usage } = (await run({ price_limit: 50, price_lock: true })).body(200);
    assert.equal(usage.x_market.bid, 5);
  });
});
