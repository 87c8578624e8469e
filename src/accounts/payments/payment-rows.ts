/**
 * What every transaction of payments uses: its turn, the rows of payments, and entries, whose row and balance change
 * together under a lock on the account.
 */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/entry.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { flag, int, intOrNull, money, name, oneOf, orNull, type Row, text } from '#storage/database/values.ts';
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

/** The payments. */
export const { from: paymentFrom, some: paymentColumns } = codec<Payment>({
  id: text,
  accountId: text,
  provider: oneOf(['stripe']),
  status: oneOf(['open', 'paid', 'expired', 'failed']),
  amount: money,
  automatic: flag,
  sessionId: orNull(name(255)),
  createdAtMs: int,
  paidAtMs: intOrNull,
});

/** The clock and the ids for the rows of a transaction. */
export type Stamps = Pick<OperatorOptions, 'clock' | 'ids'>;

/** Adds an open payment. */
export async function addPayment(
  trx: Knex.Transaction,
  wanted: Pick<Payment, 'accountId' | 'amount' | 'automatic'>,
  { clock, ids }: Stamps,
): Promise<Payment> {
  const opened = { provider: 'stripe', status: 'open', sessionId: null, paidAtMs: null } as const;
  const payment = { ...wanted, ...opened, id: ids.uuid(), createdAtMs: clock.nowMs() };
  await trx('payments').insert(paymentColumns(payment));
  return payment;
}

/** Locks an account until the commit, and returns what of its balance is not held. Throws Fault not_found. */
export async function lockFunds(trx: Knex.Transaction, accountId: string): Promise<{ free: NanoUsd }> {
  const row: Row | undefined = await trx('accounts').where({ id: accountId }).forUpdate().first('balance', 'held');
  if (!row) throw noAccount(accountId);
  return { free: money(row.balance) - money(row.held) };
}

/** Adds an entry that belongs to no order. The account must be locked. */
export async function addEntry(
  trx: Knex.Transaction,
  entry: Omit<Entry, 'id' | 'orderId' | 'createdAtMs'>,
  { clock, ids }: Stamps,
): Promise<void> {
  const { accountId, amount } = entry;
  await trx('accounts')
    .where({ id: accountId })
    .update({ balance: trx.raw('balance + CAST(? AS SIGNED)', [amount.toString()]) });
  await insertTransfer(trx, { ...entry, id: ids.uuid(), orderId: null, createdAtMs: clock.nowMs() }, null);
}
