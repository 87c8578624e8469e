/** Entries of payments: the row and the balance change together, under a lock on the account. */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/ports.ts';
import { money, type Row } from '#storage/database/values.ts';
import { noAccount } from '#storage/records/account.ts';
import { insertTransfer } from '../ledger/transfer-rows.ts';

/** What a transaction stamps its rows with. */
export interface Stamp {
  readonly atMs: number;
  newId(): string;
}

/** Locks an account until the commit, and returns what of its balance is not held. Throws Fault not_found. */
export async function lockFunds(trx: Knex.Transaction, accountId: string): Promise<{ free: NanoUsd }> {
  const row: Row | undefined = await trx('accounts').where({ id: accountId }).forUpdate().first('balance', 'held');
  if (!row) throw noAccount(accountId);
  return { free: money(row.balance) - money(row.held) };
}

/** Adds an entry that belongs to no order. The account must be locked. */
export async function addEntry(trx: Knex.Transaction, entry: Omit<Entry, 'orderId'>): Promise<void> {
  const { accountId, amount } = entry;
  await trx('accounts')
    .where({ id: accountId })
    .update({ balance: trx.raw('balance + CAST(? AS SIGNED)', [amount.toString()]) });
  await insertTransfer(trx, { ...entry, orderId: null }, null);
}
