import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { principalWith } from '#testing/principals.ts';
import { limitDefaults } from './limits.ts';
import { type Caller, type RateClass, RequestRates } from './request-rates.ts';

const limits = {
  ...limitDefaults,
  inferenceRequestsPerMinutePerKey: 2,
  batchSubmissionsPerMinutePerAccount: 2,
  accountOperationsPerMinutePerAccount: 2,
  fileOperationsPerMinutePerAccount: 2,
  publicRequestsPerMinutePerAddress: 2,
  partnerRequestsPerMinutePerAddress: 2,
};
const ofKey = (id: string): Caller => ({ principal: principalWith({ key: { id } }), address: '' });
const ofAddress = (address: string): Caller => ({ principal: null, address });

function spend(rates: RequestRates, rateClass: RateClass, caller: Caller): Fault {
  for (let i = 0; i < 2; i++) rates.count(rateClass, caller);
  try {
    rates.count(rateClass, caller);
  } catch (thrown) {
    assert.ok(thrown instanceof Fault);
    return thrown;
  }
  assert.fail('a third request was taken');
}

test('Retry-After names the second in which the next request is accepted', async () => {
  const clock = new ManualClock();
  const rates = new RequestRates(limits, clock);
  const fault = spend(rates, 'inference', ofKey('k1'));
  assert.deepEqual([fault.code, fault.status, fault.retryAfterS], ['rate_limit_error', 429, 30]);
  await clock.advance(29_500);
  assert.throws(() => rates.count('inference', ofKey('k1')), { retryAfterS: 1 });
  await clock.advance(500);
  rates.count('inference', ofKey('k1'));
});

// Spec 8-4
test('inference counts by key, account operations by account, public reads by address', () => {
  const rates = new RequestRates(limits, new ManualClock());
  spend(rates, 'inference', ofKey('k1'));
  rates.count('inference', ofKey('k2'));
  spend(rates, 'account', ofKey('k1'));
  assert.throws(() => rates.count('account', ofKey('k2')), { code: 'rate_limit_error' });
  spend(rates, 'public', ofAddress('192.0.2.1'));
  rates.count('public', ofAddress('192.0.2.2'));
});

test('each class has its own budget', () => {
  const rates = new RequestRates(limits, new ManualClock());
  for (const rateClass of ['inference', 'batch', 'account', 'file'] as const) spend(rates, rateClass, ofKey('k1'));
  for (const rateClass of ['public', 'partner'] as const) spend(rates, rateClass, ofAddress('192.0.2.1'));
});

test('opening a market stream counts as a public request', () => {
  const rates = new RequestRates(limits, new ManualClock());
  spend(rates, 'stream', ofAddress('192.0.2.1'));
  assert.throws(() => rates.count('public', ofAddress('192.0.2.1')), { code: 'rate_limit_error' });
});

test('free operations are never refused', () => {
  const rates = new RequestRates(limits, new ManualClock());
  for (let i = 0; i < 10; i++) rates.count('free', ofAddress('192.0.2.1'));
});
