import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '#market/ports.ts';
import { FundsBook } from './funds.ts';
import type { Funds } from './units.ts';

function book(stored: Record<string, Funds>) {
  const unparked: string[] = [];
  const reads: string[] = [];
  const store = {
    funds: async (id: string) => {
      reads.push(id);
      return stored[id] ?? null;
    },
  };
  const sendCommand = (command: Command) => {
    if (command.type === 'unpark') unparked.push(command.account);
  };
  return { funds: new FundsBook(store, { ofBudget: () => [], sendCommand }), unparked, reads, stored };
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

test('a parked account comes back when enough is free for the smallest hold it was refused', () => {
  const { funds, unparked } = book({});
  assert.equal(funds.park('a', 8n), true);
  assert.equal(funds.park('a', 5n), false);
  funds.update('a', { balance: 10n, held: 6n });
  assert.deepEqual(unparked, []);
  funds.update('a', { balance: 10n, held: 5n });
  assert.deepEqual(unparked, ['a']);
  funds.update('a', { balance: 10n, held: 0n });
  assert.deepEqual(unparked, ['a']);
});

test('a parked account with nothing held comes back, so that its orders can be refused for want of money', () => {
  const { funds, unparked } = book({});
  funds.park('a', 100n);
  funds.update('a', { balance: 1n, held: 0n });
  assert.deepEqual(unparked, ['a']);
});

test('money from outside this process is seen at the next review', async () => {
  const { funds, unparked, stored } = book({ a: { balance: 10n, held: 9n } });
  funds.park('a', 5n);
  await funds.review();
  assert.deepEqual(unparked, []);
  stored.a = { balance: 20n, held: 9n };
  await funds.review();
  assert.deepEqual(unparked, ['a']);
});
