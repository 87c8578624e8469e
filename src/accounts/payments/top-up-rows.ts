/** What news of payments change in automatic top-up. All of it happens in the turn of payments. */
import type { Knex } from 'knex';
import { HOUR_MS } from '#base/time.ts';
import { flag, int, type Row, reasonOrNull, text } from '#storage/database/values.ts';
import { logChange } from '../change-log.ts';
import type { Stamps } from './payment-rows.ts';
import type { HandledEvent, Payment, PaymentNews } from './provider.ts';

/** Who switches off, in the audit log. */
const SELF = 'automatic top-up';
/** How long after a refusal the card is tried again; after another it is not. */
const AGAIN_MS = [HOUR_MS, 6 * HOUR_MS];

/** What an account has that decided nothing yet. */
export const UNDECIDED = {
  enabled: 0,
  threshold: '10000000000',
  amount: '20000000000',
  per_day_max: 1,
  month_max: '100000000000',
};
/** Nothing is under way. */
export const IDLE = { payment_id: null, accepted: 0 };

/** Keeps the card that somebody agreed to with this payment, unless one of a later payment is known. */
export async function saveCard(
  trx: Knex.Transaction,
  { paymentId, accountId, customer, method }: Extract<PaymentNews, { kind: 'card' }>,
): Promise<HandledEvent> {
  const payment: Row | undefined = await trx('payments').where({ id: paymentId, account_id: accountId }).first();
  if (!payment || flag(payment.automatic)) return { outcome: 'ignored', reason: 'No payment here has this id.' };
  const card = { customer, method, card_from_ms: int(payment.created_at_ms) };
  const known: Row | undefined = await trx('top_ups').where({ account_id: accountId }).first('card_from_ms');
  if (known && int(known.card_from_ms) > card.card_from_ms)
    return { outcome: 'repeated', reason: 'A later payment has saved a card.' };
  if (known) await trx('top_ups').where({ account_id: accountId }).update(card);
  else await trx('top_ups').insert({ account_id: accountId, ...UNDECIDED, ...card });
  return { outcome: 'saved', reason: null };
}

/** The payment under way was paid: the next may begin. */
export async function paidTopUp(trx: Knex.Transaction, { id, accountId }: Payment): Promise<void> {
  await trx('top_ups')
    .where({ account_id: accountId, payment_id: id })
    .update({ ...IDLE, failures: 0, next_at_ms: 0 });
}

/** Ends an open automatic payment whose card was refused; false when it is none. */
export async function declineTopUp(trx: Knex.Transaction, id: string, code: string, stamps: Stamps): Promise<boolean> {
  const open = trx('payments').where({ id, status: 'open', automatic: 1 });
  if ((await open.update({ status: 'failed' })) === 0) return false;
  const { account_id: accountId }: Row = await trx('payments').where({ id }).first('account_id');
  const mine = { account_id: text(accountId), payment_id: id };
  const row: Row | undefined = await trx('top_ups').where(mine).first('failures');
  if (!row) return true;
  const failures = int(row.failures) + 1;
  const waitMs = AGAIN_MS[failures - 1];
  await trx('top_ups')
    .where(mine)
    .update({ ...IDLE, failures, next_at_ms: stamps.clock.nowMs() + (waitMs ?? 0) });
  const reason = `The card was declined ${failures} times; its bank says: ${code}.`;
  if (waitMs === undefined) await switchOff(trx, text(accountId), reason, stamps);
  return true;
}

/** Switches it off for a reason that its owner sees; no effect when it is off. */
export async function switchOff(
  trx: Knex.Transaction,
  accountId: string,
  reason: string,
  { clock, ids }: Stamps,
): Promise<void> {
  const atMs = clock.nowMs();
  const on = trx('top_ups').where({ account_id: accountId, enabled: 1 });
  const off = { enabled: 0, off_reason: reasonOrNull.bind(reason), off_at_ms: atMs, failures: 0 };
  if ((await on.update(off)) === 0) return;
  await logChange(trx, {
    id: ids.uuid(),
    atMs,
    accountId,
    who: SELF,
    what: 'top_up.off',
    subject: accountId,
    before: { enabled: true },
    after: { enabled: false, reason },
  });
}
