/** Automatic top-up: what the owner of the account decides, and the card that pays. Decision 49. */

import { invalidRequest } from '#base/fault.ts';
import { type NanoUsd, nanoToUsd, parseUsd } from '#base/money.ts';
import { isoOrNull } from '#base/time.ts';
import { accountIdOf, type MemberVisit } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { components } from '#generated/console-api/types.ts';
import { servedPayments } from './payment-handlers.ts';
import { assertTopUp, type Payments } from './payments.ts';
import type { MemberTopUps, TopUp } from './top-up-ports.ts';

/** What these handlers need. */
export interface MemberTopUpsOptions {
  readonly memberTopUps: MemberTopUps;
  /** Null where only the operator credits accounts. */
  readonly payments: Payments | null;
}

type Schemas = components['schemas'];

const CENT = 10_000_000n;

/** getAutomaticTopUp, changeAutomaticTopUp and forgetCard. */
export function topUpHandlers({
  memberTopUps,
  payments,
}: MemberTopUpsOptions): HandlersFor<'getAutomaticTopUp' | 'changeAutomaticTopUp' | 'forgetCard'> {
  return {
    async getAutomaticTopUp(call) {
      servedPayments(payments);
      return { status: 200, json: topUpObject(await memberTopUps.find(accountIdOf(call))) };
    },

    async changeAutomaticTopUp(call) {
      servedPayments(payments);
      const wishes = wishesOf(call.call.body);
      return { status: 200, json: topUpObject(await memberTopUps.change(byOf(call), wishes)) };
    },

    async forgetCard(call) {
      const paying = servedPayments(payments);
      const { card } = await memberTopUps.find(accountIdOf(call));
      // First at the provider: a card that is forgotten only here could be charged from its dashboard.
      if (card) await paying.forget(card);
      await memberTopUps.forgetCard(byOf(call));
      return { status: 204 };
    },
  };
}

function byOf(call: MemberVisit): Parameters<MemberTopUps['forgetCard']>[0] {
  return { email: call.signedIn.member.email, accountId: accountIdOf(call) };
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
  if (amount !== null && amount % CENT === 0n) return amount;
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
