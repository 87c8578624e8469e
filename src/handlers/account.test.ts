import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefaultsChange } from '#accounts/account/account-store.ts';
import { Fault, type FaultCode } from '#base/fault.ts';
import type { JsonReply } from '#contract/reply.ts';
import type { OrderFilter, OrderStore } from '#orders/ports.ts';
import { testCall } from '#testing/calls.ts';
import { conforming } from '#testing/conforming.ts';
import { someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { accountWith } from '#testing/principals.ts';
import { accountHandlers } from './account.ts';

const stored = accountWith({
  balance: 9_999_158_537n,
  priceLimits: { 'tide-70b': 500_000_000, 'rock-8b': 1, 'no-longer-served': 1 },
  priceLock: true,
  logPayloads: true,
});

function fixture() {
  const filters: OrderFilter[] = [];
  const changes: DefaultsChange[] = [];
  const forgotten: string[] = [];
  const orders: Pick<OrderStore, 'counts'> = {
    counts: async (filter) => {
      filters.push(filter);
      return { queued: 2, executing: 1, oldestQueuedAtMs: 5 };
    },
  };
  const handlers = accountHandlers({
    access: { account: async (id) => (id === stored.id ? stored : null), budgetOf: async () => null },
    clock: new ManualClock(),
    orders,
    listings: someListings(),
    defaults: {
      setDefaults: async (_id, change) => {
        changes.push(change);
        return { ...stored, priceLimits: { 'tide-70b': 700_000_000 } };
      },
    },
    authenticator: { forget: (id) => void forgotten.push(id) },
  });
  return { handlers, filters, changes, forgotten };
}

async function read() {
  const { handlers, filters } = fixture();
  const { json } = (await handlers.getAccount(testCall('getAccount'))) as JsonReply;
  return { json: conforming('getAccount 200', json), filters };
}

async function update(body: unknown) {
  const { handlers, changes, forgotten } = fixture();
  const { json } = (await handlers.updateAccount(testCall('updateAccount', { body }))) as JsonReply;
  return { json: conforming('updateAccount 200', json) as Record<string, unknown>, changes, forgotten };
}

function refusal(code: FaultCode, param: string) {
  return (error: unknown) => error instanceof Fault && error.code === code && error.param === param;
}

test('getAccount shows the account as stored, with limits of market models only', async () => {
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

test('only the caller’s own orders are counted', async () => {
  const { filters } = await read();
  assert.deepEqual(
    filters.map((filter) => filter.accountId),
    ['acc_1'],
  );
});

test('only the sent fields are changed, and the response is the account as stored', async () => {
  const { json, changes, forgotten } = await update({ price_lock: false });
  assert.deepEqual(changes, [{ priceLock: false }]);
  assert.deepEqual(json.default_price_limit, { 'tide-70b': 0.7 });
  assert.deepEqual(forgotten, ['acc_1']);
  assert.deepEqual((await update({})).changes, [{}]);
  assert.deepEqual((await update({ order_timeout_seconds: 10 })).changes, [{ orderTimeoutS: 10 }]);
});

test('a limit is kept under the real id of its model, rounded down to whole nano-dollars; null clears it', async () => {
  const { changes } = await update({ default_price_limit: { tide: 0.1234567899, 'rock-8b': null } });
  assert.deepEqual(changes, [{ priceLimits: { 'tide-70b': 123_456_789, 'rock-8b': null } }]);
});

test('an unknown model, a limit of a fixed-price model and one model twice refuse the whole update', async () => {
  const limits = (default_price_limit: object) => update({ default_price_limit, price_lock: true });
  await assert.rejects(limits({ tide: 1, none: 1 }), refusal('unknown_model', 'default_price_limit.none'));
  await assert.rejects(limits({ none: null }), refusal('unknown_model', 'default_price_limit.none'));
  await assert.rejects(limits({ rock: 0 }), refusal('fixed_price_model', 'default_price_limit.rock'));
  const twice = limits({ tide: 1, 'tide-70b': null });
  await assert.rejects(twice, refusal('invalid_request', 'default_price_limit.tide-70b'));
  await assert.rejects(
    limits(JSON.parse('{"__proto__": 1}')),
    refusal('unknown_model', 'default_price_limit.__proto__'),
  );
});
