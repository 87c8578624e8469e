/**
 * What every transaction of payments uses: its turn, the rows of payments, and entries, whose row and balance change
 * together under a lock on the account.
 */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/entry.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';
import { noAccount } from '#storage/records/account.ts';
import { insertTransfer } from '../ledger/entry-rows.ts';
import type { Payment } from './provider.ts';

/** Runs `work` in a transaction while no other of payments is under way, on any gateway. */
export function inTurn<Answer>(db: Database, work: (trx: Knex.Transaction) => Promise<Answer>): Promise<Answer> {
  return writing(db, async (trx) => {
    await takeTurn(trx, 'payments');
    return work(trx);
  });
}

/** The payments, in rows that have `reversed` and `owed` of their reversals, too. */
export const { from: paymentFrom } = codec<Payment>({
  id: text,
  accountId: text,
  provider: oneOf(['stripe']),
  status: oneOf(['open', 'paid', 'expired', 'failed']),
  amount: money,
  automatic: flag,
  sessionId: textOrNull,
  createdAtMs: int,
  paidAtMs: intOrNull,
  reversed: money,
  owed: money,
});

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
