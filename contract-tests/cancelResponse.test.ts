import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cannedReply } from '#testing/mock-backend.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

const NOBODY = 'resp_0199aaaa-0000-7000-8000-000000000000';
const params = { id: NOBODY };

describe('POST /v1/responses/{id}/cancel', () => {
  const server = useServer({ responses: { background: true } });
  itNeedsAKey(server, 'cancelResponse', { params });
  itSurvivesAnOutage(server, 'cancelResponse', { params });
  itHasARate('account_operations_per_minute_per_account', 'cancelResponse', { params });

  const create = (model: string) =>
    server.api.call('createResponse', { body: { model, input: 'Hi', price_limit: 5, background: true } });
  const cancel = (id: string, key?: string) =>
    server.api.call('cancelResponse', { params: { id }, ...(key === undefined ? {} : { key }) });

  it('200 a response that waits, uncharged, and the same a second time', async () => {
    const { id } = (await create('reef')).body(200);
    for (let time = 0; time < 2; time++) {
      const { status, background, usage } = (await server.uncharged(() => cancel(id))).body(200);
      assert.deepEqual([status, background, usage], ['cancelled', true, null]);
    }
    const order = (await server.api.call('getOrder', { params: { id: id.slice(5) } })).body(200);
    assert.equal(order.status, 'canceled');
  });

  it('404 for one of nobody, of another account, and of another endpoint', async () => {
    const { id } = (await create('reef')).body(200);
    (await cancel(id, (await server.createAccount()).key)).refusal(404, 'not_found');
    for (const wrong of [NOBODY, 'nonsense', id.slice(5)]) (await cancel(wrong)).refusal(404, 'not_found');
    const body = { model: 'reef', messages: [{ role: 'user', content: 'Hi' }], price_limit: 5, detached: true };
    const chat = (await server.api.call('createChatCompletion', { body })).body(202);
    (await cancel(`resp_${chat.id}`)).refusal(404, 'not_found');
    for (const each of [id.slice(5), chat.id]) await server.api.call('cancelOrder', { params: { id: each } });
  });

  it('409 for one that runs, and for one that is done', async () => {
    const release = server.holdAnswers();
    const { id } = (await create('tide')).body(200);
    await server.orders({ queued: 0, executing: 1 });
    (await cancel(id)).refusal(409, 'order_not_cancelable');
    release();
    await server.orders({ queued: 0, executing: 0 });
    (await cancel(id)).refusal(409, 'order_not_cancelable');
    server.answer(cannedReply());
  });
});
