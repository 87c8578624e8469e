/** What an operator does while orders wait and run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

const NANO = 1e9;

describe('an operator under load', () => {
  const server = useServer({ trust_proxy: 1 });

  it('a pod is drained while 40 orders wait and run: none is canceled, and each is answered', async () => {
    const browser = await operatorBrowser(server);
    const release = server.holdAnswers();
    const orders = Array.from({ length: 40 }, () =>
      server.api.call('createChatCompletion', { body: chat({ model: 'tide' }) }),
    );
    await server.orders({ executing: 8, queued: 32 });
    (await browser.call('drainPod', { params: { id: 'tide-1' } })).body(200);
    release();
    await server.orders({ executing: 0, queued: 32 });
    (await browser.call('resumePod', { params: { id: 'tide-1' } })).body(200);
    for (const reply of await Promise.all(orders)) reply.body(200);
    const { data } = (await browser.call('listSoldOrders', { query: { limit: 100 } })).body(200);
    assert.deepEqual([data.length, data.filter(({ status }) => status !== 'done').length], [40, 0]);
  });

  it('debits beside 100 orders never take a balance below zero, and what is left is exact', async () => {
    const browser = await operatorBrowser(server);
    const { id, key } = await server.createAccount({ creditUsd: 0.05 });
    const api = server.api.as(key);
    const account = async () => (await browser.call('showAccount', { params: { id } })).body(200);
    const orders = Array.from({ length: 100 }, () =>
      api.call('createChatCompletion', { body: chat({ model: 'tide', max_tokens: 20 }) }),
    );
    const debits = Array.from({ length: 30 }, async (_, count) => {
      const body = { amount_usd: '0.003', idempotency_key: `debit-${count}`, reason: 'A test' };
      const reply = await browser.call('debitAccount', { params: { id }, body });
      assert.ok((await account()).balance_usd >= 0);
      if (reply.status === 200) return 1;
      reply.refusal(400, 'invalid_request');
      return 0;
    });
    const taken = (await Promise.all(debits)).reduce<number>((sum, each) => sum + each, 0);
    assert.ok(taken > 0 && taken < 30, `${taken} debits`);
    for (const reply of await Promise.all(orders)) assert.ok([200, 402].includes(reply.status), reply.text);
    const { balance_usd, held_usd } = await account();
    const { data } = (await browser.call('listSoldOrders', { query: { any_id: id, limit: 100 } })).body(200);
    const charged = data.reduce((sum, order) => sum + Math.round((order.charged_usd ?? 0) * NANO), 0);
    assert.equal(Math.round(balance_usd * NANO), 0.05 * NANO - taken * 3_000_000 - charged);
    assert.deepEqual([balance_usd >= 0, held_usd], [true, 0]);
  });
});
