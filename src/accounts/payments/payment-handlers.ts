/** Payments by card: beginning one, listing them, the events of the provider that credit them, and automatic top-up. */

import assert from 'node:assert';
import { Fault, invalidRequest } from '#base/fault.ts';
import { NANO_PER_CENT, type NanoUsd, nanoToUsd, parseUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountActorOf, accountIdOf, handlersOf } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { AccessStore } from '../keys/key-lookup.ts';
import { PaymentStore } from './payment-store.ts';
import { assertTopUp, type Payments } from './payments.ts';
import type { ListedPayment } from './provider.ts';
import { type TopUp, TopUpStore } from './top-up-store.ts';

const LIST_MAX = 100;

type Schemas = components['schemas'];

/** listPayments, startCheckout and receiveStripeEvent. `payments` is null where only the operator credits accounts. */
export function paymentsHandlers(
  database: OperatorOptions,
  { access, payments }: { readonly access: Pick<AccessStore, 'account'>; readonly payments: Payments | null },
) {
  const store = new PaymentStore(database);
  const topUps = new TopUpStore(database);
  return handlersOf({
    async listPayments(call) {
      const data = (await store.list({ accountId: accountIdOf(call), limit: LIST_MAX })).map(paymentObject);
      return { status: 200, json: { object: 'list', enabled: payments !== null, data } };
    },

    async startCheckout(call) {
      const account = await access.account(accountIdOf(call));
      assert(account, 'the account of a member is gone');
      const paying = assertPayments(payments);
      if (account.status !== 'active') throw new Fault('account_suspended');
      const { amount_usd: usd, save_card: saveCard = false } = call.call.body;
      const amount = parseUsd(String(usd));
      if (amount === null) throw new Fault('invalid_request', { param: 'amount_usd' });
      const customer = saveCard ? (await topUps.find(account.id)).customer : null;
      const { payment, url } = await paying.checkout(account.id, amount, { saveCard, customer });
      const json = { object: 'checkout', payment_id: payment.id, amount_usd: nanoToUsd(payment.amount), url };
      return { status: 201, json };
    },

    async receiveStripeEvent({ call }) {
      const signature = call.headers['stripe-signature'];
      assert(call.body instanceof Uint8Array, 'an event was parsed before its signature was checked');
      const handled = await assertPayments(payments).receive(
        call.body,
        typeof signature === 'string' ? signature : undefined,
      );
      return { status: 200, json: { object: 'payment_event', ...handled } };
    },
  });
}

/** getAutomaticTopUp, changeAutomaticTopUp and forgetCard: what the owner decides, and the card that pays. Decision 49. */
export function topUpHandlers(database: OperatorOptions, payments: Payments | null) {
  const topUps = new TopUpStore(database);
  return handlersOf({
    async getAutomaticTopUp(call) {
      assertPayments(payments);
      return { status: 200, json: topUpObject(await topUps.find(accountIdOf(call))) };
    },

    async changeAutomaticTopUp(call) {
      assertPayments(payments);
      const wishes = wishesOf(call.call.body);
      return { status: 200, json: topUpObject(await topUps.change(accountActorOf(call), wishes)) };
    },

    async forgetCard(call) {
      const paying = assertPayments(payments);
      const { card } = await topUps.find(accountIdOf(call));
      // First at the provider: a card that is forgotten only here could be charged from its dashboard.
      if (card) await paying.forget(card);
      await topUps.forgetCard(accountActorOf(call));
      return { status: 204 };
    },
  });
}

/** The payments of this gateway. Throws Fault not_found where there are none. */
function assertPayments(payments: Payments | null): Payments {
  if (payments) return payments;
  throw new Fault('not_found', { message: 'This gateway takes no payments by card.' });
}

function paymentObject(payment: ListedPayment) {
  return {
    object: 'payment',
    payment_id: payment.id,
    provider: payment.provider,
    automatic: payment.automatic,
    status: payment.status,
    amount_usd: nanoToUsd(payment.amount),
    reversed_usd: nanoToUsd(payment.reversed),
    owed_usd: nanoToUsd(payment.owed),
    created_at: iso(payment.createdAtMs),
    paid_at: isoOrNull(payment.paidAtMs),
  };
}

/** The bounds are the document's. */
function wishesOf(body: Schemas['TopUpWishes']) {
  const amount = cents('amount_usd', body.amount_usd);
  assertTopUp(amount);
  const monthMax = cents('month_max_usd', body.month_max_usd);
  if (monthMax < amount) throw invalidRequest('month_max_usd', 'month_max_usd must be at least amount_usd.');
  const threshold = cents('threshold_usd', body.threshold_usd);
  return { enabled: body.enabled, threshold, amount, perDayMax: body.per_day_max, monthMax };
}

function cents(param: string, usd: number): NanoUsd {
  const amount = parseUsd(String(usd));
  if (amount !== null && amount % NANO_PER_CENT === 0n) return amount;
  throw invalidRequest(param, `${param} takes USD in whole cents.`);
}

function topUpObject(topUp: TopUp) {
  return {
    object: 'automatic_top_up',
    enabled: topUp.enabled,
    threshold_usd: nanoToUsd(topUp.threshold),
    amount_usd: nanoToUsd(topUp.amount),
    per_day_max: topUp.perDayMax,
    month_max_usd: nanoToUsd(topUp.monthMax),
    card_saved: topUp.card !== null,
    used_this_month_usd: nanoToUsd(topUp.usedThisMonth),
    off_reason: topUp.offReason,
    off_at: isoOrNull(topUp.offAtMs),
  };
}
