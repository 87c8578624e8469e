/**
 * Refunds and disputes. A balance cannot be below 0, and what is held belongs to orders that run: a reversal takes what is
 * free, and the rest is owed. Nothing more is held while an account owes, and what becomes free is taken until it does
 * not. Decision 47.
 */
import type { Knex } from 'knex';
import { NANO_PER_CENT, type NanoUsd } from '#base/money.ts';
import { column, described, type ObjectOf } from '#storage/database/codec.ts';
import { money, oneOf, type Row, text, textOrNull } from '#storage/database/values.ts';
import { addEntry, lockFunds, type Stamps } from './payment-rows.ts';
import type { HandledEvent, PaymentNews } from './provider.ts';
import { switchOff } from './top-up-rows.ts';

type ReversalNews = Extract<PaymentNews, { kind: 'reversal' }>;

const reversals = described({
  id: text,
  accountId: textOrNull,
  of: column('kind', oneOf(['refund', 'dispute'])),
  state: oneOf(['taken', 'returned']),
  amount: money,
  entered: money,
  owed: money,
});
type Reversal = ObjectOf<typeof reversals>;

/**
 * Takes a refund or a dispute from its account, or gives it back. What was given back stays so: news that it was taken
 * are older. One that is for a payment not credited yet waits for that.
 */
export async function changeReversal(trx: Knex.Transaction, news: ReversalNews, stamps: Stamps): Promise<HandledEvent> {
  const { reversalId: id, intent, state } = news;
  const payment: Row | undefined = await trx('payments').where({ intent }).first();
  const before: Row | undefined = await trx('payment_reversals').where({ id }).first();
  const reason = unfit(news, before, payment);
  if (reason !== null) return { outcome: 'refused', reason };
  if (before && (text(before.state) === 'returned' || text(before.state) === state))
    return { outcome: 'repeated', reason: `It was ${text(before.state)} before.` };
  const accountId = payment ? text(payment.account_id) : null;
  if (before) await trx('payment_reversals').where({ id }).update({ state });
  else {
    const reversal = { id, accountId, of: news.of, state, amount: amountOf(news), entered: 0n, owed: 0n };
    const row = { ...reversals.some(reversal), intent, created_at_ms: stamps.clock.nowMs() };
    await trx('payment_reversals').insert(row);
  }
  if (accountId === null) return { outcome: 'waiting', reason: 'Its payment is not credited here.' };
  await settle(trx, accountId, reversals.from(await trx('payment_reversals').where({ id }).first()), stamps);
  // Whoever disputes a payment is not charged again unasked.
  if (news.of === 'dispute' && state === 'taken') await switchOff(trx, accountId, 'A payment was disputed.', stamps);
  return { outcome: state, reason: null };
}

/** Gives the reversals that waited for this payment their account. */
export async function nameAccount(trx: Knex.Transaction, intent: string, accountId: string): Promise<void> {
  await trx('payment_reversals').where({ intent }).whereNull('account_id').update({ account_id: accountId });
}

/** Takes what the account owes, oldest first, from what is free. */
export async function collectFrom(trx: Knex.Transaction, accountId: string, stamps: Stamps): Promise<void> {
  const rows: Row[] = await trx('payment_reversals')
    .where({ account_id: accountId, state: 'taken' })
    .whereRaw('entered < amount')
    .orderBy(['created_at_ms', 'id']);
  for (const row of rows) await settle(trx, accountId, reversals.from(row), stamps);
}

/** Brings what entries took of a reversal to what they should have taken, as far as the free balance goes. */
async function settle(trx: Knex.Transaction, accountId: string, reversal: Reversal, stamps: Stamps): Promise<void> {
  const { id, of, state, amount, entered, owed } = reversal;
  const { free } = await lockFunds(trx, accountId);
  const due = (state === 'taken' ? amount : 0n) - entered;
  const moved = due > free ? free : due;
  const left = due - moved;
  if (moved === 0n && left === owed) return;
  if (moved !== 0n)
    // The same figure twice is the same step: what was given back is not taken again.
    await addEntry(
      trx,
      { accountId, kind: 'reversal', amount: -moved, uniqueKey: `stripe:${id}:${entered}`, reason: `${of} ${id}` },
      stamps,
    );
  await trx('payment_reversals')
    .where({ id })
    .update(reversals.some({ entered: entered + moved, owed: left }));
  await trx('accounts')
    .where({ id: accountId })
    .update({ owed: trx.raw('owed + CAST(? AS SIGNED)', [(left - owed).toString()]) });
}

/** Why the news do not fit what is known; null if they do. */
function unfit(news: ReversalNews, before: Row | undefined, payment: Row | undefined): string | null {
  const { currency, cents, intent } = news;
  if (currency !== 'usd') return `The payment is in usd, this in ${JSON.stringify(currency.slice(0, 8))}.`;
  if (!Number.isSafeInteger(cents) || cents <= 0) return `An amount of ${cents} cents cannot be taken.`;
  const amount = amountOf(news);
  if (before && (money(before.amount) !== amount || text(before.intent) !== intent))
    return `${news.reversalId} was for another amount or payment before.`;
  if (payment && amount > money(payment.amount)) return 'It is more than was paid.';
  return null;
}

function amountOf({ cents }: ReversalNews): NanoUsd {
  return BigInt(cents) * NANO_PER_CENT;
}
