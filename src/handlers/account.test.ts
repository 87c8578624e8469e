import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderFilter, OrderStore } from '#orders/ports.ts';
import { account, someListings, testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { accountHandlers } from './account.ts';
import type { JsonReply } from './call.ts';

const stored = account({
  balance: 9_999_158_537n,
  priceLimits: { 'tide-70b': 500_000_000, 'rock-8b': 1, 'no-longer-served': 1 },
  priceLock: true,
  logPayloads: true,
});

async function read(): Promise<{ json: unknown; filters: OrderFilter[] }> {
  const filters: OrderFilter[] = [];
  const orders: Pick<OrderStore, 'counts'> = {
    counts: async (filter) => {
      filters.push(filter);
      return { queued: 2, executing: 1, oldestQueuedAtMs: 5 };
    },
  };
  const { getAccount } = accountHandlers({
    access: { account: async (id) => (id === stored.id ? stored : null) },
    orders,
    listings: someListings(),
  });
  const { json } = (await getAccount(testCall())) as JsonReply;
  return { json: conforming('getAccount 200', json), filters };
}

test('the account as it is stored now, with limits of market models only', async () => {
  assert.deepEqual((await read()).json, {
    object: 'account',
    account_id: 'acc_1',
    balance_usd: 9.999158537,
    default_price_limit: { 'tide-70b': 0.5 },
    price_lock: true,
    order_timeout_seconds: 600,
    storage: { retention_days: 30, log_payloads: true },
    orders: { queued: 2, executing: 1 },
  });
});

test('only the own orders are counted', async () => {
  const { filters } = await read();
  assert.deepEqual(
    filters.map((filter) => filter.accountId),
    ['acc_1'],
  );
});
