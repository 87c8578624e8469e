import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { itHasARate, itNeedsAKey, itSurvivesAnOutage } from './support/common-refusals.ts';
import { useServer } from './support/server.ts';

describe('GET /v1/account', () => {
  const server = useServer();
  itNeedsAKey(server, 'getAccount');
  itSurvivesAnOutage(server, 'getAccount');
  itHasARate('account_operations_per_minute_per_account', 'getAccount');

  it('200 the account as it was opened', async () => {
    const { id, key } = await server.createAccount({ creditUsd: 12.5, retentionDays: 7, priceLimits: { tide: 2 } });
    const account = (await server.api.as(key).call('getAccount')).body(200);
    assert.deepEqual(account, {
      object: 'account',
      account_id: id,
      balance_usd: 12.5,
      default_price_limit: { tide: 2 },
      price_lock: false,
      order_timeout_seconds: 600,
      storage: { retention_days: 7, log_payloads: false },
      orders: { queued: 0, executing: 0 },
    });
  });

  it('200 counts the orders that wait', async () => {
    const order = { body: chat({ model: 'reef', detached: true }) };
    const { id } = (await server.api.call('createChatCompletion', order)).body(202);
    assert.deepEqual((await server.api.call('getAccount')).body(200).orders, { queued: 1, executing: 0 });
    (await server.api.call('cancelOrder', { params: { id } })).body(200);
    assert.deepEqual((await server.api.call('getAccount')).body(200).orders, { queued: 0, executing: 0 });
  });

  it('200 the balance after a charge, to the nano-dollar', async () => {
    const { key } = await server.createAccount({ creditUsd: 10 });
    const api = server.api.as(key);
    const { usage } = (await api.call('createChatCompletion', { body: chat() })).body(200);
    const { balance_usd } = (await api.call('getAccount')).body(200);
    assert.equal(Math.round(balance_usd * 1e9), 10e9 - Math.round(usage.x_market.charged_usd * 1e9));
  });

  it('200 omits the default of a model that has no market price', async () => {
    const { key } = await server.createAccount({ priceLimits: { tide: 2, harbor: 3 } });
    const { default_price_limit } = (await server.api.as(key).call('getAccount')).body(200);
    assert.deepEqual(default_price_limit, { tide: 2 });
  });
});
