import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';

describe('POST /v1/orders/{id}/cancel', () => {
  const server = useServer();
  itNeedsAKey(server, 'cancelOrder', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'cancelOrder', { params: { id: NOBODY } });
  itHasARate('account_operations_per_minute_per_account', 'cancelOrder', { params: { id: NOBODY } });

  const cancel = (id: string, api = server.api) => api.call('cancelOrder', { params: { id } });
  const place = async (fields: Record<string, unknown> = {}) =>
    (await server.api.call('createChatCompletion', { body: chat(fields) })).orderId;
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);

  // Spec 3-7, 3-8, 4.6-31
  it('200 a queued order is canceled and never charged', async () => {
    for (const model of ['reef', 'shoal']) {
      const id = await place({ model, detached: true });
      const reply = await server.uncharged(() => cancel(id));
      assert.deepEqual(reply.body(200), { id, status: 'canceled' });
      const order = await orderOf(id);
      assert.deepEqual([order.status, order.error, order.queue_position], ['canceled', 'order_canceled', null]);
      assert.equal(Date.parse(order.finished_at ?? ''), server.clock.nowMs());
    }
  });

  it('404 for a malformed id, an unknown one, and someone else’s, which stays queued', async () => {
    const id = await place({ model: 'reef', detached: true });
    const other = server.api.as((await server.createAccount()).key);
    (await cancel('not-an-id')).refusal(404, 'not_found');
    (await cancel(NOBODY)).refusal(404, 'not_found');
    (await cancel(id, other)).refusal(404, 'not_found');
    assert.equal((await orderOf(id)).status, 'queued');
    (await cancel(id)).body(200);
  });

  it('409 order_not_cancelable for an order that has ended, which does not change', async () => {
    const done = await place();
    assert.equal((await cancel(done)).refusal(409, 'order_not_cancelable').type, 'conflict_error');
    assert.equal((await orderOf(done)).status, 'done');
    const canceled = await place({ model: 'reef', detached: true });
    (await cancel(canceled)).body(200);
    (await cancel(canceled)).refusal(409, 'order_not_cancelable');
  });

  it('409 order_not_cancelable for an executing order, which continues', async () => {
    const finish = server.holdAnswers();
    const id = await place({ detached: true });
    await server.orders({ executing: 1 });
    (await cancel(id)).refusal(409, 'order_not_cancelable');
    finish();
    await server.orders({ executing: 0 });
    assert.equal((await orderOf(id)).status, 'done');
  });
});
