/** Stores automatic top-up. Whether a payment may begin is decided in the transaction that begins it. Decision 49. */
import type { Knex } from 'knex';
import type { AccountActor } from '#access/member.ts';
import { invalidRequest } from '#base/fault.ts';
import { formatUsd, type NanoUsd } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { described, type ObjectOf } from '#storage/database/codec.ts';
import { flag, int, intOrNull, money, type Row, reasonOrNull, text, textOrNull } from '#storage/database/values.ts';
import { accountRow } from '#storage/records/account.ts';
import { LoggedStore, logChange } from '../change-log.ts';
import { addPayment, inTurn, paymentFrom, type Stamps } from './payment-rows.ts';
import type { HandledEvent, Payment, PaymentNews, SavedCard } from './provider.ts';

/** After this long, an unanswered request is sent again. */
const RESEND_MS = MINUTE_MS;
/** For how long: the provider forgets an idempotency key after a day. */
const RESENT_FOR_MS = 12 * HOUR_MS;
/** How long an event may be late. */
const EVENT_MS = DAY_MS;
/** After how long an account that reached a limit is checked again. */
const LIMITED_MS = 5 * MINUTE_MS;

const UNREACHABLE = 'The payment provider could not be asked for twelve hours.';
const UNTOLD =
  'The provider took a payment and did not report the outcome within a day. Ask the operator of this gateway.';

const wishes = described({
  enabled: flag,
  /** A balance below it begins a payment. */
  threshold: money,
  /** $10 to $10,000, whole cents. */
  amount: money,
  /** Payments in 24 hours, 1 to 10. */
  perDayMax: int,
  /** In a calendar month, UTC; at least one amount. */
  monthMax: money,
});

/** What an owner decides. */
export type TopUpWishes = ObjectOf<typeof wishes>;

/** The wishes and their outcome. */
export interface TopUp extends TopUpWishes {
  /** As the provider knows the account, also after its card was removed; null before the first. */
  readonly customer: string | null;
  readonly card: SavedCard | null;
  /** Automatic payments of this month that are paid or under way. */
  readonly usedThisMonth: NanoUsd;
  /** Why the gateway switched it off, a sentence; null when it did not. */
  readonly offReason: string | null;
  readonly offAtMs: number | null;
}

/** A payment to be charged now, also one that was sent before, with an unknown outcome. */
export interface DueCharge {
  readonly payment: Payment;
  readonly card: SavedCard;
}

/** Stores automatic top-up. Each method is one transaction, which several gateways may run at once. */
export class TopUpStore extends LoggedStore {
  /** The settings of an account; off if it never had any. Throws Fault not_found. */
  find(accountId: string): Promise<TopUp> {
    return find(this.parts.db.knex, accountId, this.parts.clock.nowMs());
  }

  /** Accounts after `after`, by id, that may need something now; at most `limit` are looked at. `next`: null at the end. */
  async due(
    after: string,
    limit: number,
  ): Promise<{ readonly accountIds: readonly string[]; readonly next: string | null }> {
    const { knex } = this.parts.db;
    const looked: string[] = await knex('top_ups')
      .where({ enabled: 1 })
      .where('account_id', '>', after)
      .orderBy('account_id')
      .limit(limit)
      .pluck('account_id');
    const accountIds: string[] = await knex('top_ups')
      .join('accounts', 'accounts.id', 'top_ups.account_id')
      .whereIn('top_ups.account_id', looked)
      .where('next_at_ms', '<=', this.parts.clock.nowMs())
      .where((either) => either.whereNotNull('payment_id').orWhereRaw('accounts.balance < top_ups.threshold'))
      .orderBy('top_ups.account_id')
      .pluck('top_ups.account_id');
    return { accountIds, next: looked.length === limit ? (looked.at(-1) ?? null) : null };
  }

  /** Begins a payment, or hands out the one under way again, to one caller a minute; null when there is nothing to do. */
  take(accountId: string): Promise<DueCharge | null> {
    return inTurn(this.parts.db, (trx) => take(trx, accountId, this.parts));
  }

  /** The provider took it on: nothing is sent again, and nothing else begins until an event reports the outcome. */
  async accepted({ id, accountId }: Payment): Promise<void> {
    await inTurn(this.parts.db, (trx) =>
      trx('top_ups')
        .where({ account_id: accountId, payment_id: id })
        .update({ accepted: 1, next_at_ms: this.parts.clock.nowMs() + EVENT_MS }),
    );
  }

  /** The card was refused: tried again an hour and six hours later, then switched off. No effect on a payment that ended. */
  async declined({ id }: Payment, code: string): Promise<void> {
    await inTurn(this.parts.db, (trx) => declineTopUp(trx, id, code, this.parts));
  }

  /** Ends the payment, if it is open, and switches off for this reason. */
  async refused({ id, accountId }: Payment, reason: string): Promise<void> {
    await inTurn(this.parts.db, async (trx) => {
      await end(trx, accountId, id);
      await switchOff(trx, accountId, reason, this.parts);
    });
  }

  /** Whether the database only does not answer, which then holds for every account. */
  isOutage(error: unknown): boolean {
    return this.parts.db.dialect.isOutage(error);
  }

  /** Throws Fault invalid_request when it is enabled without a card. */
  change(by: AccountActor, wanted: TopUpWishes): Promise<TopUp> {
    const { accountId } = by;
    return inTurn(this.parts.db, async (trx) => {
      const before = await find(trx, accountId, this.parts.clock.nowMs());
      if (wanted.enabled && before.card === null)
        throw invalidRequest('enabled', 'Save a card first: top up by card once.');
      const row = { ...wishes.some(wanted), failures: 0, off_reason: null, off_at_ms: null };
      await trx('top_ups')
        .insert({ account_id: accountId, ...row })
        .onConflict('account_id')
        .merge(row);
      // Payments that wait for a limit or a card may go on; a payment already sent is not repeated sooner.
      await trx('top_ups').where({ account_id: accountId, payment_id: null }).update({ next_at_ms: 0 });
      const change = { before: shown(before), after: shown(wanted) };
      await this.changes.log(trx, by, { what: 'top_up.change', subject: accountId, ...change });
      return find(trx, accountId, this.parts.clock.nowMs());
    });
  }

  /** Forgets the card and switches off. */
  async forgetCard(by: AccountActor): Promise<void> {
    const { accountId } = by;
    await inTurn(this.parts.db, async (trx) => {
      const row: Row | undefined = await trx('top_ups').where({ account_id: accountId }).first();
      if (!row || row.method === null) return;
      if (row.payment_id !== null) await end(trx, accountId, text(row.payment_id));
      await trx('top_ups').where({ account_id: accountId }).update({ enabled: 0, method: null });
      const change = { before: { enabled: flag(row.enabled) }, after: { enabled: false } };
      await this.changes.log(trx, by, { what: 'top_up.card.remove', subject: accountId, ...change });
    });
  }
}

async function find(knex: Knex, accountId: string, nowMs: number): Promise<TopUp> {
  await accountRow(knex, accountId, 'id');
  const row: Row = (await knex('top_ups').where({ account_id: accountId }).first()) ?? UNDECIDED;
  const method = textOrNull(row.method);
  return {
    ...wishes.from(row),
    customer: textOrNull(row.customer),
    card: method === null ? null : { customer: text(row.customer), method },
    usedThisMonth: (await automaticSince(knex, accountId, monthBegin(nowMs))).amount,
    offReason: textOrNull(row.off_reason),
    offAtMs: intOrNull(row.off_at_ms),
  };
}

async function take(trx: Knex.Transaction, accountId: string, stamps: Stamps): Promise<DueCharge | null> {
  const row: Row | undefined = await trx('top_ups').where({ account_id: accountId, enabled: 1 }).first();
  if (!row || row.method === null || int(row.next_at_ms) > stamps.clock.nowMs()) return null;
  const card = { customer: text(row.customer), method: text(row.method) };
  const payment =
    row.payment_id === null
      ? await begin(trx, accountId, row, stamps)
      : await sentBefore(trx, accountId, { id: text(row.payment_id), accepted: flag(row.accepted) }, stamps);
  if (!payment) return null;
  const sent = { payment_id: payment.id, next_at_ms: stamps.clock.nowMs() + RESEND_MS };
  await trx('top_ups').where({ account_id: accountId }).update(sent);
  return { payment, card };
}

/** The payment under way, to be sent again; null when that is over. */
async function sentBefore(
  trx: Knex.Transaction,
  accountId: string,
  { id, accepted }: { readonly id: string; readonly accepted: boolean },
  stamps: Stamps,
): Promise<Payment | null> {
  const payment = paymentFrom({ ...(await trx('payments').where({ id }).first()) });
  if (!accepted && payment.createdAtMs + RESENT_FOR_MS > stamps.clock.nowMs()) return payment;
  await end(trx, accountId, id);
  await switchOff(trx, accountId, accepted ? UNTOLD : UNREACHABLE, stamps);
  return null;
}

/** A new payment, if the balance needs one and the limits leave room. */
async function begin(trx: Knex.Transaction, accountId: string, row: Row, stamps: Stamps): Promise<Payment | null> {
  const atMs = stamps.clock.nowMs();
  const account: Row = await trx('accounts').where({ id: accountId }).forUpdate().first('status', 'balance', 'owed');
  const { threshold, amount, perDayMax, monthMax } = wishes.from(row);
  if (money(account.balance) >= threshold) return null;
  const day = await automaticSince(trx, accountId, atMs - DAY_MS);
  const month = await automaticSince(trx, accountId, monthBegin(atMs));
  const mayPay = text(account.status) === 'active' && money(account.owed) === 0n;
  if (!mayPay || day.count >= perDayMax || month.amount + amount > monthMax) {
    const later = { next_at_ms: atMs + LIMITED_MS };
    await trx('top_ups').where({ account_id: accountId }).update(later);
    return null;
  }
  return addPayment(trx, { accountId, amount, automatic: true }, stamps);
}

/** News that it was paid count also after that. */
async function end(trx: Knex.Transaction, accountId: string, paymentId: string): Promise<void> {
  await trx('payments').where({ id: paymentId, status: 'open', automatic: 1 }).update({ status: 'failed' });
  await trx('top_ups').where({ account_id: accountId, payment_id: paymentId }).update(IDLE);
}

/** Automatic payments that are paid or under way. */
async function automaticSince(
  knex: Knex,
  accountId: string,
  sinceMs: number,
): Promise<{ readonly amount: NanoUsd; readonly count: number }> {
  const row: Row = await knex('payments')
    .where({ account_id: accountId, automatic: 1 })
    .whereIn('status', ['open', 'paid'])
    .where('created_at_ms', '>=', sinceMs)
    .first(knex.raw('SUM(amount) AS amount'), knex.raw('COUNT(*) AS number'));
  return { amount: money(row.amount), count: int(row.number) };
}

function monthBegin(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
}

function shown({ enabled, threshold, amount, perDayMax, monthMax }: TopUpWishes): object {
  const [threshold_usd, amount_usd, month_max_usd] = [threshold, amount, monthMax].map(formatUsd);
  return { enabled, threshold_usd, amount_usd, per_day_max: perDayMax, month_max_usd };
}

/** The name that the audit log shows when automatic top-up switches itself off. */
const SELF = 'automatic top-up';
/** How long after a refusal the card is tried again; after another it is not. */
const AGAIN_MS = [HOUR_MS, 6 * HOUR_MS];

/** The settings of an account that has decided nothing yet. */
const UNDECIDED = {
  enabled: 0,
  threshold: '10000000000',
  amount: '20000000000',
  per_day_max: 1,
  month_max: '100000000000',
};
/** Nothing is under way. */
const IDLE = { payment_id: null, accepted: 0 };

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
