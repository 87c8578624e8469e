/** Payments by card: beginning one, listing them, and the events of the provider that credit them. */

import assert from 'node:assert';
import type { AccessStore } from '#access/ports.ts';
import { Fault } from '#base/fault.ts';
import { nanoToUsd, parseUsd } from '#base/money.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountIdOf } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Payments } from './payments.ts';
import type { Payment, PaymentStore } from './ports.ts';
import type { MemberTopUps } from './top-up-ports.ts';

/** What these handlers need. */
export interface MemberPaymentsOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** Null where only the operator credits accounts. */
  readonly payments: Payments | null;
  readonly paymentStore: Pick<PaymentStore, 'list'>;
  readonly memberTopUps: Pick<MemberTopUps, 'find'>;
}

const LIST_MAX = 100;

/** listPayments, startCheckout and receiveStripeEvent. */
export function paymentsHandlers({
  access,
  payments,
  paymentStore,
  memberTopUps,
}: MemberPaymentsOptions): HandlersFor<'listPayments' | 'startCheckout' | 'receiveStripeEvent'> {
  return {
    async listPayments(call) {
      const data = (await paymentStore.list({ accountId: accountIdOf(call), limit: LIST_MAX })).map(paymentObject);
      return { status: 200, json: { object: 'list', enabled: payments !== null, data } };
    },

    async startCheckout(call) {
      const account = await access.account(accountIdOf(call));
      assert(account, 'the account of a member is gone');
      const paying = servedPayments(payments);
      if (account.status !== 'active') throw new Fault('account_suspended');
      const { amount_usd: usd, save_card: saveCard = false } = call.call.body;
      const amount = parseUsd(String(usd));
      if (amount === null) throw new Fault('invalid_request', { param: 'amount_usd' });
      const customer = saveCard ? (await memberTopUps.find(account.id)).customer : null;
      const { payment, url } = await paying.checkout(account.id, amount, { saveCard, customer });
      const json = { object: 'checkout', payment_id: payment.id, amount_usd: nanoToUsd(payment.amount), url };
      return { status: 201, json };
    },

    async receiveStripeEvent({ call }) {
      const signature = call.headers['stripe-signature'];
      assert(call.body instanceof Uint8Array, 'an event was parsed before its signature was checked');
      const handled = await servedPayments(payments).receive(
        call.body,
        typeof signature === 'string' ? signature : undefined,
      );
      return { status: 200, json: { object: 'payment_event', ...handled } };
    },
  };
}

/** Throws Fault not_found where there are none. */
export function servedPayments(payments: Payments | null): Payments {
  if (payments) return payments;
  throw new Fault('not_found', { message: 'This gateway takes no payments by card.' });
}

function paymentObject(payment: Payment) {
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
