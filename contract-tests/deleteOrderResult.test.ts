import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = '0199aaaa-0000-7000-8000-000000000000';
const messages = [{ role: 'user', content: 'Say hello.' }];

const CANCEL_FIRST =
  'The order has not ended: it is queued. Cancel it with POST /v1/orders/{id}/cancel, or wait until it has ended.';
const WAIT_FOR_END = 'The order has not ended: it is executing. Delete its result when it has ended.';

describe('DELETE /v1/orders/{id}/result', () => {
  const server = useServer();
  itNeedsAKey(server, 'deleteOrderResult', { params: { id: NOBODY } });
  itSurvivesAnOutage(server, 'deleteOrderResult', { params: { id: NOBODY } });
  // Spec 8-7
  itHasARate('account_operations_per_minute_per_account', 'deleteOrderResult', { params: { id: NOBODY } });

  const remove = (id: string, api = server.api) => api.call('deleteOrderResult', { params: { id } });
  const collect = (id: string) => server.api.call('getOrderResult', { params: { id } });
  const orderOf = async (id: string) => (await server.api.call('getOrder', { params: { id } })).body(200);
  const place = async (fields: Record<string, unknown> = {}) =>
    (await server.api.call('createChatCompletion', { body: chat({ detached: true, ...fields }) })).body(202).id;
  const finished = async (fields: Record<string, unknown> = {}) => {
    const id = await place(fields);
    await server.orders({ queued: 0, executing: 0 });
    return id;
  };

  it('200 the answer is gone, the order and its charge stay; a repetition answers the same', async () => {
    const id = await finished();
    const [before, charged] = [await orderOf(id), await server.charged()];
    for (const spelled of [id, id, id.toUpperCase()]) {
      assert.deepEqual((await remove(spelled)).body(200), { id, object: 'order.result', deleted: true });
    }
    (await collect(id)).refusal(410, 'result_unavailable');
    assert.deepEqual([await orderOf(id), await server.charged()], [before, charged]);
    const { result_stored, result_expires_at } = (
      await server.api.call('getOrder', { params: { id }, query: { include: 'storage' } })
    ).body(200);
    assert.deepEqual([result_stored, result_expires_at], [false, null]);
  });

  it('200 for an order that has no answer and will never have one', async () => {
    const canceled = await place({ model: 'reef' });
    await server.api.call('cancelOrder', { params: { id: canceled } });
    const unkept = await finished({ store: false });
    for (const id of [canceled, unkept]) assert.equal((await remove(id)).body(200).deleted, true);
    assert.equal((await collect(canceled)).body(200).error?.code, 'order_canceled');
    const waiting = await place({ model: 'reef', retention_days: 0 });
    assert.equal((await remove(waiting)).body(200).deleted, true);
    await server.api.call('cancelOrder', { params: { id: waiting } });
  });

  // Spec 4.6-24, 7-16
  it('409 result_write_pending before the answer is stored, which is stored all the same', async () => {
    const waiting = await place({ model: 'reef' });
    const { type, message } = (await remove(waiting)).refusal(409, 'result_write_pending');
    assert.equal(type, 'conflict_error');
    assert.equal(message, CANCEL_FIRST);
    await server.api.call('cancelOrder', { params: { id: waiting } });
    const finish = server.holdAnswers();
    const running = await place();
    await server.orders({ executing: 1 });
    assert.equal((await remove(running)).refusal(409, 'result_write_pending').message, WAIT_FOR_END);
    finish();
    await server.orders({ executing: 0 });
    assert.notEqual((await collect(running)).body(200).body, null);
    (await remove(running)).body(200);
  });

  it('404 for a malformed id, an unknown one, and someone else’s, whose answer stays', async () => {
    const id = await finished();
    const other = server.api.as((await server.createAccount()).key);
    (await remove('not-an-id')).refusal(404, 'not_found');
    (await remove(NOBODY)).refusal(404, 'not_found');
    (await remove(id, other)).refusal(404, 'not_found');
    assert.notEqual((await collect(id)).body(200).body, null);
  });

  const endpoints = [
    ['createChatCompletion', { model: 'tide', messages, price_limit: 5 }],
    ['createCompletion', { model: 'tide', prompt: 'Say hello.', price_limit: 5 }],
    ['createResponse', { model: 'tide', input: 'Say hello.', price_limit: 5 }],
    ['createMessage', { model: 'tide', messages, max_tokens: 50, max_price: 5 }],
  ] as const satisfies [OperationId, object][];
  for (const [operation, body] of endpoints) {
    it(`410 when a ${operation} request is repeated after its answer was deleted, and nothing is charged`, async () => {
      const ask = () => server.api.call(operation, { body, headers: { 'idempotency-key': 'deleted' } });
      const { orderId } = await ask();
      (await remove(orderId)).body(200);
      const repeated = await server.uncharged(ask);
      repeated.refusal(410, 'result_unavailable');
      assert.equal(repeated.orderId, orderId);
    });
  }
});
