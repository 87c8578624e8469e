/** What automatic top-up stores: the wishes of each account, its card, and the payment that is under way. Decision 49. */
import type { NanoUsd } from '#base/money.ts';
import type { Payment, SavedCard } from './ports.ts';

/** What an owner decides. */
export interface TopUpWishes {
  readonly enabled: boolean;
  /** A balance below it begins a payment. */
  readonly threshold: NanoUsd;
  /** $10 to $10,000, whole cents. */
  readonly amount: NanoUsd;
  /** Payments in 24 hours, 1 to 10. */
  readonly perDayMax: number;
  /** In a calendar month, UTC; at least one amount. */
  readonly monthMax: NanoUsd;
}

/** The wishes and what became of them. */
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

/** A payment to be charged now, also one that was sent before and of which the outcome is not known. */
export interface DueCharge {
  readonly payment: Payment;
  readonly card: SavedCard;
}

/** Stores automatic top-up. Each method is one transaction, which several gateways may run at once. */
export interface TopUpStore {
  /** The wishes of an account; those of one that never had any are off. Throws Fault not_found. */
  find(accountId: string): Promise<TopUp>;
  /** Accounts after `after`, by id, that may need something now; at most `limit` are looked at. `next`: null at the end. */
  due(after: string, limit: number): Promise<{ readonly accountIds: readonly string[]; readonly next: string | null }>;
  /** Begins a payment, or hands out the one under way again, to one caller a minute; null when there is nothing to do. */
  take(accountId: string): Promise<DueCharge | null>;
  /** The provider took it on: nothing is sent again, and nothing else begins until an event tells the outcome. */
  accepted(payment: Payment): Promise<void>;
  /** The card was refused: tried again an hour and six hours later, then switched off. No effect on a payment that ended. */
  declined(payment: Payment, code: string): Promise<void>;
  /** Ends the payment, if it is open, and switches off for this reason. */
  refused(payment: Payment, reason: string): Promise<void>;
}

/** The same for members, whose changes are in the audit log. */
export interface MemberTopUps {
  find(accountId: string): Promise<TopUp>;
  /** Throws Fault invalid_request when it is enabled without a card. */
  change(by: { readonly email: string; readonly accountId: string }, wishes: TopUpWishes): Promise<TopUp>;
  /** Forgets the card and switches off. */
  forgetCard(by: { readonly email: string; readonly accountId: string }): Promise<void>;
}
