import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('GET /v1/orders/{id}', () => {
  const server = useServer();
  itNeedsAKey(server, 'getOrder', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'getOrder', { params: { id: NOBODY } });
  itHasARate('account_operations_per_minute_per_account', 'getOrder', { params: { id: NOBODY } });

  const get = (id: string, include?: string) =>
    server.api.call('getOrder', { params: { id }, query: include === undefined ? {} : { include } });
  const place = (fields: Record<string, unknown> = {}) =>
    server.api.call('createChatCompletion', { body: chat(fields) });

  it('200 a settled order, equal to its receipt', async () => {
    const reply = await place();
    const { x_market } = reply.body(200).usage;
    const now = new Date(server.clock.nowMs()).toISOString();
    const order = (await get(reply.orderId)).body(200);
    assert.deepEqual(order, {
      id: reply.orderId,
      status: 'done',
      bid: 5,
      kind: 'chat',
      model: 'tide',
      created_at: now,
      admitted_at: now,
      finished_at: now,
      expires_at: new Date(server.clock.nowMs() + 600_000).toISOString(),
      level_at_execution: x_market.level_at_execution,
      queue_position: null,
      error: null,
    });
  });

  // Spec 4.6-18
  it('200 its usage and pricing on request', async () => {
    const reply = await place();
    const { x_market } = reply.body(200).usage;
    const order = (await get(reply.orderId, 'usage,pricing,storage,batch')).body(200);
    assert.deepEqual(order.usage, {
      prompt_tokens: 12,
      cached_tokens: 4,
      output_tokens: 8,
      charged_usd: x_market.charged_usd,
    });
    assert.deepEqual([order.pricing, order.price_lock, order.batch_id], ['market', false, null]);
    assert.ok(!('usd_per_million' in order));
  });

  it('200 usage that the model did not report is uncached, and receipt and order say that it is an estimate', async () => {
    server.answer(cannedReply({ usage: null }));
    try {
      const reply = await place({ model: 'harbor' });
      const { x_market, prompt_tokens_details } = reply.body(200).usage;
      assert.deepEqual([prompt_tokens_details.cached_tokens, x_market.usage_estimated], [0, true]);
      const order = (await get(reply.orderId, 'usage')).body(200);
      assert.deepEqual([order.usage?.cached_tokens, order.usage_estimated], [0, true]);
      const signed = (await server.api.call('getOrderReceipt', { params: { id: reply.orderId } })).body(200);
      assert.equal(signed.receipt.estimated, true);
    } finally {
      server.answer(cannedReply());
    }
    const order = (await get((await place()).orderId, 'usage')).body(200);
    assert.equal('usage_estimated' in order, false);
  });

  // Spec 2.1-4, 2.1-25
  it('200 a fixed-price order shows its prices, and its bid is the price it was charged', async () => {
    const { orderId } = await place({ model: 'harbor' });
    const order = (await get(orderId, 'pricing')).body(200);
    assert.deepEqual(order.usd_per_million, { cached: 0.02, uncached: 0.1, output: 0.4 });
    assert.equal(order.pricing, 'fixed');
    assert.equal(order.bid, order.level_at_execution);
    assert.equal(order.bid, 0.036);
  });

  // Spec 2.1-16, 1-13
  it('200 positions in the book follow price, then arrival', async () => {
    const first = (await place({ model: 'reef', detached: true, price_limit: 5 })).orderId;
    const second = (await place({ model: 'reef', detached: true, price_limit: 5 })).orderId;
    const best = (await place({ model: 'reef', detached: true, price_limit: 6 })).orderId;
    const position = async (id: string) => (await get(id)).body(200).queue_position;
    assert.deepEqual([await position(best), await position(first), await position(second)], [1, 2, 3]);
    (await server.api.call('cancelOrder', { params: { id: first } })).body(200);
    assert.deepEqual([await position(best), await position(first), await position(second)], [1, null, 2]);
    for (const id of [second, best]) (await server.api.call('cancelOrder', { params: { id } })).body(200);
  });

  // Spec 2.1-18, 2.1-9, 2.1-15
  it('200 an order that waits for a fixed-price model has no position and no usage', async () => {
    const { orderId } = await place({ model: 'shoal', detached: true });
    const order = (await get(orderId, 'usage')).body(200);
    assert.deepEqual(
      [order.status, order.queue_position, order.usage, order.admitted_at, order.finished_at, order.level_at_execution],
      ['queued', null, null, null, null, null],
    );
    (await server.api.call('cancelOrder', { params: { id: orderId } })).body(200);
  });

  it('200 an id in capital letters is the same id', async () => {
    const { orderId } = await place();
    assert.equal((await get(orderId.toUpperCase())).body(200).id, orderId);
  });

  it('400 for an unknown include', async () => {
    const { orderId } = await place();
    assert.equal((await get(orderId, 'totals')).refusal(400, 'invalid_request').param, 'include');
    assert.equal((await get(orderId, 'everything')).refusal(400, 'invalid_request').param, 'include');
  });

  it('404 for a malformed id, an unknown one, and someone else’s, all with the same answer', async () => {
    const { orderId } = await place();
    const other = server.api.as((await server.createAccount()).key);
    const answers = [
      await get('not-an-id'),
      await get("' OR 1=1 --"),
      await get(NOBODY),
      await other.call('getOrder', { params: { id: orderId } }),
    ].map((reply) => reply.refusal(404, 'not_found'));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });
});
