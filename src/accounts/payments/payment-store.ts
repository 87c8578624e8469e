/**
 * Stores payments, and turns what a provider says about them into entries. Every transaction begins with one row that all
 * of them write, so that they happen one after another, whichever gateway an event reached: payments are rare, and an
 * event may be delivered twice at once. Balances are read with a lock, since orders change them at the same time.
 */
import type { Knex } from 'knex';
import { Fault } from '#base/fault.ts';
import { NANO_PER_CENT, type NanoUsd } from '#base/money.ts';
import { column, described, type ObjectOf } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { newest } from '#storage/database/keyset.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, money, oneOf, orNull, type Row, sentence, text, textOrNull } from '#storage/database/values.ts';
import { accountRow } from '#storage/records/account.ts';
import { addEntry, addPayment, inTurn, lockFunds, paymentColumns, paymentFrom, type Stamps } from './payment-rows.ts';
import type { HandledEvent, ListedPayment, Payment, PaymentEvent, PaymentNews } from './provider.ts';
import { declineTopUp, paidTopUp, saveCard, switchOff } from './top-up-store.ts';

/** How many accounts that owe are read at once. */
const COLLECT_MAX = 100;
/** How many payments are ended at once. */
const EXPIRE_MAX = 500;

const refusedEvents = described({ eventId: text, type: text, reason: text, createdAtMs: int });

/** An event that was refused. */
export type RefusedEvent = ObjectOf<typeof refusedEvents>;

/** Which payments count against those that an account may begin. */
interface OpenBounds {
  readonly openMax: number;
  readonly sinceMs: number;
}

/** Stores payments. Each method is one transaction, which several gateways may run at once. */
export class PaymentStore {
  readonly #parts: OperatorOptions;

  constructor(parts: OperatorOptions) {
    this.#parts = parts;
  }

  /** A new open payment. Throws Fault not_found (account), rate_limit_error (`openMax` are open since `sinceMs`). */
  open(wanted: Pick<Payment, 'accountId' | 'amount' | 'provider'>, bounds: OpenBounds): Promise<Payment> {
    return inTurn(this.#parts.db, async (trx) => {
      await accountRow(trx, wanted.accountId, 'id');
      await assertFewOpen(trx, wanted.accountId, bounds);
      return addPayment(trx, { accountId: wanted.accountId, amount: wanted.amount, automatic: false }, this.#parts);
    });
  }

  /** Notes where it is paid. */
  async opened(id: string, sessionId: string): Promise<void> {
    await writing(this.#parts.db, (trx) =>
      trx('payments').where({ id }).whereNull('session_id').update(paymentColumns({ sessionId })),
    );
  }

  /** Notes that it could not be begun, if it is open and has no session. News that it was paid count also after that. */
  async notOpened(id: string): Promise<void> {
    await writing(this.#parts.db, (trx) =>
      trx('payments').where({ id, status: 'open' }).whereNull('session_id').update({ status: 'failed' }),
    );
  }

  /** Does what the event says and notes that it was done, both or neither. */
  handle(event: PaymentEvent): Promise<HandledEvent> {
    return inTurn(this.#parts.db, async (trx) => {
      const earlier: Row | undefined = await trx('payment_events').where({ event_id: event.id }).first();
      if (earlier) return { outcome: 'repeated', reason: `It was ${text(earlier.outcome)}.` };
      const handled = await apply(trx, event, this.#parts);
      if (handled.outcome !== 'ignored') await noteEvent(trx, event, handled, this.#parts);
      return handled;
    });
  }

  /** Ends payments that a page was opened for before `beforeMs`. News that one was paid counts also after that. */
  async expire(beforeMs: number): Promise<void> {
    const { knex } = this.#parts.db;
    const old = { status: 'open', automatic: 0 };
    const ids: string[] = await knex('payments')
      .where(old)
      .where('created_at_ms', '<', beforeMs)
      .limit(EXPIRE_MAX)
      .pluck('id');
    if (ids.length === 0) return;
    await writing(this.#parts.db, (trx) => trx('payments').where(old).whereIn('id', ids).update({ status: 'expired' }));
  }

  /** Takes what accounts owe from what is free in their balances now. Rejects after the others if an account failed. */
  async collect(): Promise<void> {
    const failed: unknown[] = [];
    for (let after = ''; ; ) {
      const owing = await owingAfter(this.#parts.db.knex, after);
      for (const accountId of owing)
        await inTurn(this.#parts.db, (trx) => collectFrom(trx, accountId, this.#parts)).catch((error) => {
          if (this.#parts.db.dialect.isOutage(error)) throw error;
          failed.push(error);
        });
      const last = owing.at(-1);
      if (last === undefined || owing.length < COLLECT_MAX) break;
      after = last;
    }
    if (failed.length > 0) throw failed[0];
  }

  /** The newest first, of one account or, for null, of all. */
  async list({ accountId, limit }: { accountId: string | null; limit: number }): Promise<ListedPayment[]> {
    const { knex } = this.#parts.db;
    const ofReversals = (sum: string) =>
      `(SELECT SUM(${sum}) FROM payment_reversals r WHERE r.intent = payments.intent)`;
    const payments = knex('payments').where(accountId === null ? {} : { account_id: accountId });
    const rows: Row[] = await newest(payments, ['created_at_ms', 'id'])
      .limit(limit)
      .select('payments.*')
      .select(knex.raw(`${ofReversals('entered + owed')} AS reversed`), knex.raw(`${ofReversals('owed')} AS owed`));
    return rows.map((row) => ({ ...paymentFrom(row), reversed: money(row.reversed), owed: money(row.owed) }));
  }

  /** The newest refused events. */
  async refused(limit: number): Promise<RefusedEvent[]> {
    const rows: Row[] = await this.#parts.db
      .knex('payment_events')
      .where({ outcome: 'refused' })
      .orderBy('created_at_ms', 'desc')
      .limit(limit);
    return rows.map(refusedEvents.from);
  }
}

/** The next accounts that owe and have a free balance, by id. Accounts that cannot pay are skipped and cost no lock. */
async function owingAfter(knex: Knex, after: string): Promise<string[]> {
  return knex('payment_reversals')
    .join('accounts', 'accounts.id', 'payment_reversals.account_id')
    .where('payment_reversals.owed', '>', 0)
    .where('accounts.id', '>', after)
    .whereRaw('accounts.balance > accounts.held')
    .distinct('accounts.id')
    .orderBy('accounts.id')
    .limit(COLLECT_MAX)
    .pluck('accounts.id');
}

async function assertFewOpen(
  trx: Knex.Transaction,
  accountId: string,
  { openMax, sinceMs }: OpenBounds,
): Promise<void> {
  const open = await trx('payments')
    .where({ account_id: accountId, status: 'open' })
    .where('created_at_ms', '>', sinceMs)
    .limit(openMax)
    .select('id');
  if (open.length < openMax) return;
  throw new Fault('rate_limit_error', {
    message: `This account has begun ${openMax} payments in 24 hours that were not paid. Pay one of them, or wait.`,
    retryAfterS: 3_600,
  });
}

async function apply(trx: Knex.Transaction, { id, news }: PaymentEvent, stamps: Stamps): Promise<HandledEvent> {
  switch (news.kind) {
    case 'paid':
      return credit(trx, { ...news, eventId: id }, stamps);
    case 'card':
      return saveCard(trx, news);
    case 'declined':
      return (await declineTopUp(trx, news.paymentId, news.code, stamps))
        ? { outcome: 'ended', reason: news.code }
        : { outcome: 'ignored', reason: 'No such payment is open.' };
    case 'ended':
      return end(trx, news);
    case 'reversal':
      return changeReversal(trx, news, stamps);
    case 'other':
      return { outcome: 'ignored', reason: null };
  }
}

type Paid = Extract<PaymentNews, { kind: 'paid' }> & { readonly eventId: string };

async function credit(trx: Knex.Transaction, paid: Paid, stamps: Stamps): Promise<HandledEvent> {
  const row: Row | undefined = await trx('payments').where({ id: paid.paymentId }).first();
  if (!row) return { outcome: 'ignored', reason: 'No payment here has this id.' };
  const payment = paymentFrom(row);
  const reason = unfit(payment, paid);
  if (reason !== null) return { outcome: 'refused', reason };
  if (payment.status === 'paid') return { outcome: 'repeated', reason: `It was credited by ${text(row.credited_by)}.` };
  const other = await trx('payments').where({ intent: paid.intent }).first('id');
  if (other) return { outcome: 'refused', reason: `Its money was credited to payment ${text(other.id)}.` };
  const { accountId, amount } = payment;
  await lockFunds(trx, accountId);
  const entry = { kind: 'top_up', uniqueKey: `stripe:${paid.eventId}`, reason: `payment ${payment.id}` } as const;
  await addEntry(trx, { ...entry, accountId, amount }, stamps);
  const done = paymentColumns({ status: 'paid', sessionId: paid.sessionId, paidAtMs: stamps.clock.nowMs() });
  await trx('payments')
    .where({ id: payment.id })
    .update({ ...done, intent: paid.intent, credited_by: paid.eventId });
  if (payment.automatic) await paidTopUp(trx, payment);
  // Reversals that waited for this payment get their account.
  const waiting = trx('payment_reversals').where({ intent: paid.intent }).whereNull('account_id');
  await waiting.update({ account_id: accountId });
  await collectFrom(trx, accountId, stamps);
  return { outcome: 'credited', reason: null };
}

/** Why the event does not fit its payment; null if it does. */
function unfit({ accountId, automatic, sessionId, amount }: Payment, paid: Paid): string | null {
  if (paid.accountId !== accountId) return `The payment is of account ${accountId}, the event of another.`;
  if (automatic !== (paid.sessionId === null)) return 'The event is of another kind of payment.';
  if (sessionId !== null && paid.sessionId !== sessionId)
    return `The payment is of session ${sessionId}, the event of ${paid.sessionId}.`;
  const { currency, cents } = paid;
  if (currency !== 'usd') return `The payment is in usd, the event in ${JSON.stringify(currency.slice(0, 8))}.`;
  if (Number.isSafeInteger(cents) && BigInt(cents) * NANO_PER_CENT === amount) return null;
  return `The payment is ${amount / NANO_PER_CENT} cents, the event ${cents}.`;
}

/** Only an open payment ends: this event may come after the one that it was paid. */
async function end(trx: Knex.Transaction, news: Extract<PaymentNews, { kind: 'ended' }>): Promise<HandledEvent> {
  const changed = await trx('payments').where({ id: news.paymentId, status: 'open' }).update({ status: news.status });
  return changed === 1
    ? { outcome: 'ended', reason: null }
    : { outcome: 'ignored', reason: 'No such payment is open.' };
}

async function noteEvent(
  trx: Knex.Transaction,
  { id, type, news }: PaymentEvent,
  { outcome, reason }: HandledEvent,
  { clock }: Stamps,
): Promise<void> {
  await trx('payment_events').insert({
    event_id: id,
    type,
    outcome,
    reason: orNull(sentence(1000)).bind(reason),
    created_at_ms: clock.nowMs(),
    subject: news.kind === 'reversal' ? news.reversalId : news.kind === 'other' ? '' : news.paymentId,
  });
}

// Refunds and disputes. A balance cannot be below 0, and what is held belongs to orders that run: a reversal takes what is
// free, and the rest is owed. Nothing more is held while an account owes, and what becomes free is taken until it does
// not. Decision 47.

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
 * Takes a refund or a dispute from its account, or gives it back. What was given back stays so: an event that says it
 * was taken is older. A reversal of a payment that is not yet credited waits for the credit.
 */
async function changeReversal(trx: Knex.Transaction, news: ReversalNews, stamps: Stamps): Promise<HandledEvent> {
  const { reversalId: id, intent, state } = news;
  const payment: Row | undefined = await trx('payments').where({ intent }).first();
  const before: Row | undefined = await trx('payment_reversals').where({ id }).first();
  const reason = unfitReversal(news, before, payment);
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
  // An account that disputes a payment is not charged again automatically.
  if (news.of === 'dispute' && state === 'taken') await switchOff(trx, accountId, 'A payment was disputed.', stamps);
  return { outcome: state, reason: null };
}

/** Takes what the account owes, oldest first, from what is free. */
async function collectFrom(trx: Knex.Transaction, accountId: string, stamps: Stamps): Promise<void> {
  const rows: Row[] = await trx('payment_reversals')
    .where({ account_id: accountId, state: 'taken' })
    .whereRaw('entered < amount')
    .orderBy(['created_at_ms', 'id']);
  for (const row of rows) await settle(trx, accountId, reversals.from(row), stamps);
}

/** Adds the entry by which a reversal has taken what it should have, as far as the free balance goes. */
async function settle(trx: Knex.Transaction, accountId: string, reversal: Reversal, stamps: Stamps): Promise<void> {
  const { id, of, state, amount, entered, owed } = reversal;
  const { free } = await lockFunds(trx, accountId);
  const due = (state === 'taken' ? amount : 0n) - entered;
  const moved = due > free ? free : due;
  const left = due - moved;
  if (moved === 0n && left === owed) return;
  if (moved !== 0n)
    // The same total twice is the same step, so what was given back is not taken again.
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

/** Why the event contradicts what is stored; null if it does not. */
function unfitReversal(news: ReversalNews, before: Row | undefined, payment: Row | undefined): string | null {
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
