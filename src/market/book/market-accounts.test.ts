import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketAccounts } from './market-order.ts';

test('an account is the same as long as it has orders, however many others come', () => {
  const accounts = new MarketAccounts();
  const busy = Array.from({ length: 5000 }, (_, number) => {
    const account = accounts.of(`busy ${number}`);
    account.orders = 1;
    return account;
  });
  const idle = accounts.of('idle');
  for (let number = 0; number < 50_000; number++) accounts.of(`idle ${number}`);
  assert.notEqual(accounts.of('idle'), idle);
  assert.ok(busy.every((account) => account === accounts.of(account.id)));
});

test('an account without orders is kept for a while', () => {
  const accounts = new MarketAccounts();
  const account = accounts.of('ann');
  for (let number = 0; number < 1000; number++) accounts.of(`${number}`);
  assert.equal(accounts.of('ann'), account);
});
