import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FundsBook } from './funds.ts';
import type { LiveOrder } from './live-order.ts';
import type { Funds } from './units.ts';

function book(stored: Record<string, Funds>, broken = '') {
  const reads: string[] = [];
  const store = {
    funds: async (id: string) => {
      reads.push(id);
      if (id === broken) throw new Error('planted');
      return stored[id] ?? null;
    },
  };
  const options = { ofAccount: () => [], holdNow: () => 0n, sendCommand: () => {} };
  return { funds: new FundsBook(store, options), reads };
}

test('a balance is read once and then follows the outcomes of writes', async () => {
  const { funds, reads } = book({ a: { balance: 10n, held: 0n } });
  assert.equal(await funds.balance('a'), 10n);
  funds.update('a', { balance: 7n, held: 2n });
  assert.equal(await funds.balance('a'), 7n);
  assert.deepEqual(reads, ['a']);
  assert.equal(await funds.freshBalance('a'), 10n);
});

test('an account whose balance cannot be read keeps no other waiting, and the review still fails', async () => {
  const stored = { broken: { balance: 10n, held: 5n }, whole: { balance: 10n, held: 5n } };
  const { funds, reads } = book(stored, 'broken');
  for (const accountId of ['broken', 'whole']) {
    const order = { row: { accountId }, listing: { id: 'tide' } } as LiveOrder;
    funds.waits.enter(order, 'account', 6n);
  }
  await assert.rejects(funds.review(), /planted/);
  assert.deepEqual(reads, ['broken', 'whole']);
});

test('an unknown account has nothing', async () => {
  assert.equal(await book({}).funds.balance('nobody'), 0n);
});
