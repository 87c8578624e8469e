/** Stores automatic top-up. Whether a payment may begin is decided in the transaction that begins it. Decision 49. */
import type { Knex } from 'knex';
import { Fault } from '#base/fault.ts';
import { formatUsd, type NanoUsd } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { codec } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { flag, int, intOrNull, money, type Row, text, textOrNull } from '#storage/database/values.ts';
import { noAccount } from '#storage/records/account.ts';
import { logChange } from '../change-log.ts';
import type { Stamp } from './payment-entries.ts';
import { paymentFrom } from './payment-record.ts';
import type { DueCharge, MemberTopUps, TopUp, TopUpStore, TopUpWishes } from './top-up-ports.ts';
import { declineTopUp, IDLE, switchOff, UNDECIDED } from './top-up-rows.ts';
import { inTurn } from './turn.ts';

/** When what was sent and not answered is sent again. */
const RESEND_MS = MINUTE_MS;
/** For how long: the provider forgets an idempotency key after a day. */
const RESENT_FOR_MS = 12 * HOUR_MS;
/** How long an event may be late. */
const EVENT_MS = DAY_MS;
/** When an account that reached a limit is looked at again. */
const LIMITED_MS = 5 * MINUTE_MS;

const UNREACHABLE = 'The payment provider could not be asked for twelve hours.';
const UNTOLD =
  'The provider took a payment and did not say within a day what came of it. Ask whoever runs this gateway.';

/** The store, for the gateway and for members. */
export function createTopUpStore({ db, clock, ids }: OperatorOptions): TopUpStore & MemberTopUps {
  const stamp = (): Stamp => ({ atMs: clock.nowMs(), newId: () => ids.uuid() });
  return {
    find: (accountId) => find(db.knex, accountId, clock.nowMs()),

    async due(after, limit) {
      const looked: string[] = await db
        .knex('top_ups')
        .where({ enabled: 1 })
        .where('account_id', '>', after)
        .orderBy('account_id')
        .limit(limit)
        .pluck('account_id');
      const accountIds: string[] = await db
        .knex('top_ups')
        .join('accounts', 'accounts.id', 'top_ups.account_id')
        .whereIn('top_ups.account_id', looked)
        .where('next_at_ms', '<=', clock.nowMs())
        .where((either) => either.whereNotNull('payment_id').orWhereRaw('accounts.balance < top_ups.threshold'))
        .orderBy('top_ups.account_id')
        .pluck('top_ups.account_id');
      return { accountIds, next: looked.length === limit ? (looked.at(-1) ?? null) : null };
    },

    take: (accountId) => inTurn(db, (trx) => take(trx, accountId, stamp())),

    async accepted({ id, accountId }) {
      await inTurn(db, (trx) =>
        trx('top_ups')
          .where({ account_id: accountId, payment_id: id })
          .update({ accepted: 1, next_at_ms: clock.nowMs() + EVENT_MS }),
      );
    },

    async declined({ id }, code) {
      await inTurn(db, (trx) => declineTopUp(trx, id, code, stamp()));
    },

    async refused({ id, accountId }, reason) {
      await inTurn(db, async (trx) => {
        await end(trx, accountId, id);
        await switchOff(trx, accountId, reason, stamp());
      });
    },

    change: ({ email, accountId }, wishes) =>
      inTurn(db, async (trx) => {
        const before = await find(trx, accountId, clock.nowMs());
        if (wishes.enabled && before.card === null)
          throw new Fault('invalid_request', { param: 'enabled', message: 'Save a card first: top up by card once.' });
        const row = { ...wishesColumns(wishes), failures: 0, off_reason: null, off_at_ms: null };
        await trx('top_ups')
          .insert({ account_id: accountId, ...row })
          .onConflict('account_id')
          .merge(row);
        // What waits for a limit or a card may go on; what was sent is not sent sooner.
        await trx('top_ups').where({ account_id: accountId, payment_id: null }).update({ next_at_ms: 0 });
        const { atMs, newId } = stamp();
        await logChange(trx, {
          ...{ id: newId(), atMs, accountId, who: email, what: 'top_up.change', subject: accountId },
          ...{ before: shown(before), after: shown(wishes) },
        });
        return find(trx, accountId, atMs);
      }),

    async forgetCard({ email, accountId }) {
      await inTurn(db, async (trx) => {
        const row: Row | undefined = await trx('top_ups').where({ account_id: accountId }).first();
        if (!row || row.method === null) return;
        if (row.payment_id !== null) await end(trx, accountId, text(row.payment_id));
        await trx('top_ups').where({ account_id: accountId }).update({ enabled: 0, method: null });
        const { atMs, newId } = stamp();
        await logChange(trx, {
          ...{ id: newId(), atMs, accountId, who: email, what: 'top_up.card.remove', subject: accountId },
          ...{ before: { enabled: flag(row.enabled) }, after: { enabled: false } },
        });
      });
    },
  };
}

async function find(knex: Knex, accountId: string, nowMs: number): Promise<TopUp> {
  const account: Row | undefined = await knex('accounts').where({ id: accountId }).first('id');
  if (!account) throw noAccount(accountId);
  const row: Row = (await knex('top_ups').where({ account_id: accountId }).first()) ?? UNDECIDED;
  const method = textOrNull(row.method);
  return {
    ...wishesFrom(row),
    customer: textOrNull(row.customer),
    card: method === null ? null : { customer: text(row.customer), method },
    usedThisMonth: (await automaticSince(knex, accountId, monthBegin(nowMs))).amount,
    offReason: textOrNull(row.off_reason),
    offAtMs: intOrNull(row.off_at_ms),
  };
}

async function take(trx: Knex.Transaction, accountId: string, stamp: Stamp): Promise<DueCharge | null> {
  const row: Row | undefined = await trx('top_ups').where({ account_id: accountId, enabled: 1 }).first();
  if (!row || row.method === null || int(row.next_at_ms) > stamp.atMs) return null;
  const card = { customer: text(row.customer), method: text(row.method) };
  const payment =
    row.payment_id === null
      ? await begin(trx, accountId, row, stamp)
      : await sentBefore(trx, accountId, { id: text(row.payment_id), accepted: flag(row.accepted) }, stamp);
  if (!payment) return null;
  const sent = { payment_id: payment.id, next_at_ms: stamp.atMs + RESEND_MS };
  await trx('top_ups').where({ account_id: accountId }).update(sent);
  return { payment, card };
}

/** The payment under way, to be sent again; null when that is over. */
async function sentBefore(
  trx: Knex.Transaction,
  accountId: string,
  { id, accepted }: { readonly id: string; readonly accepted: boolean },
  stamp: Stamp,
): Promise<DueCharge['payment'] | null> {
  const payment = paymentFrom({ ...(await trx('payments').where({ id }).first()), reversed: 0, owed: 0 });
  if (!accepted && payment.createdAtMs + RESENT_FOR_MS > stamp.atMs) return payment;
  await end(trx, accountId, id);
  await switchOff(trx, accountId, accepted ? UNTOLD : UNREACHABLE, stamp);
  return null;
}

/** A new payment, if the balance needs one and the limits leave room. */
async function begin(
  trx: Knex.Transaction,
  accountId: string,
  wishes: Row,
  { atMs, newId }: Stamp,
): Promise<DueCharge['payment'] | null> {
  const account: Row = await trx('accounts').where({ id: accountId }).forUpdate().first('status', 'balance', 'owed');
  if (money(account.balance) >= money(wishes.threshold)) return null;
  const amount = money(wishes.amount);
  const day = await automaticSince(trx, accountId, atMs - DAY_MS);
  const month = await automaticSince(trx, accountId, monthBegin(atMs));
  const mayPay = text(account.status) === 'active' && money(account.owed) === 0n;
  if (!mayPay || day.count >= int(wishes.per_day_max) || month.amount + amount > money(wishes.month_max)) {
    const later = { next_at_ms: atMs + LIMITED_MS };
    await trx('top_ups').where({ account_id: accountId }).update(later);
    return null;
  }
  const payment = { id: newId(), account_id: accountId, provider: 'stripe', status: 'open', automatic: 1 };
  const row = { ...payment, amount: amount.toString(), created_at_ms: atMs };
  await trx('payments').insert(row);
  return paymentFrom({ ...row, session_id: null, paid_at_ms: null, reversed: 0, owed: 0 });
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

const { from: wishesFrom, some: wishesColumns } = codec<TopUpWishes>({
  enabled: flag,
  threshold: money,
  amount: money,
  perDayMax: int,
  monthMax: money,
});

function shown({ enabled, threshold, amount, perDayMax, monthMax }: TopUpWishes): object {
  const [threshold_usd, amount_usd, month_max_usd] = [threshold, amount, monthMax].map(formatUsd);
  return { enabled, threshold_usd, amount_usd, per_day_max: perDayMax, month_max_usd };
}
