import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

describe('an account that is suspended', () => {
  const server = useServer();

  it('has its queued orders canceled within a second, uncharged, and its running orders settled', async () => {
    const account = await server.createAccount();
    const api = server.api.as(account.key);
    const place = (fields: Record<string, unknown>) =>
      api.call('createChatCompletion', { body: chat({ detached: true, ...fields }) });
    const orderOf = async (id: string) => (await api.call('getOrder', { params: { id } })).body(200);
    const [market, fixed] = [(await place({ model: 'reef' })).orderId, (await place({ model: 'shoal' })).orderId];
    const others = await server.api.call('createChatCompletion', { body: chat({ model: 'reef', detached: true }) });
    const caller = api.call('createChatCompletion', { body: chat({ model: 'reef' }) });
    const finish = server.holdAnswers();
    const running = (await place({ model: 'tide' })).orderId;
    await server.orders({ queued: 3, executing: 1 }, api);

    const refused = await server.whileSuspended(account, async () => {
      await server.pass(1000);
      return caller;
    });
    refused.refusal(409, 'order_canceled');
    await server.orders({ queued: 0, executing: 1 }, api);
    for (const id of [market, fixed, refused.orderId]) {
      const { status, error } = await orderOf(id);
      assert.deepEqual([status, error], ['canceled', 'account_suspended']);
    }
    finish();
    await server.orders({ queued: 0, executing: 0 }, api);
    assert.equal((await orderOf(running)).status, 'done');
    assert.equal((await server.charged(api)).settled, 1);
    (await server.api.call('cancelOrder', { params: { id: others.orderId } })).body(200);
  });
});
