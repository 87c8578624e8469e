import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FundsBook } from './funds.ts';
import type { Funds } from './units.ts';

function book(stored: Record<string, Funds>) {
  const reads: string[] = [];
  const store = {
    funds: async (id: string) => {
      reads.push(id);
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

test('an unknown account has nothing', async () => {
  assert.equal(await book({}).funds.balance('nobody'), 0n);
});
