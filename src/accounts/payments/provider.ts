/**
 * A provider of payments, such as Stripe, which takes the money, and what it says about it. Amounts are nano-dollars
 * here; a provider counts in cents and converts. The operator's own credit needs no provider: it is `sluice account
 * credit`.
 */
import type { NanoUsd } from '#base/money.ts';

/** A payment that an account began. `open` until the provider says more; only `paid` was credited. */
export interface Payment {
  /** The idempotency key of the provider's requests, too. */
  readonly id: string;
  readonly accountId: string;
  readonly provider: 'stripe';
  readonly status: 'open' | 'paid' | 'expired' | 'failed';
  /** What is credited, above 0. */
  readonly amount: NanoUsd;
  /** Begun by the gateway, with a card that the account saved; there is no page to pay it at. */
  readonly automatic: boolean;
  readonly sessionId: string | null;
  readonly createdAtMs: number;
  readonly paidAtMs: number | null;
}

/** A payment, and its outcome so far. */
export interface ListedPayment extends Payment {
  /** What refunds and disputes have taken back, including the part that is still owed. */
  readonly reversed: NanoUsd;
  /** The part of `reversed` that the free balance did not cover yet. */
  readonly owed: NanoUsd;
}

/** A card as the provider names it; the gateway never sees its number. */
export interface SavedCard {
  readonly customer: string;
  readonly method: string;
}

/** The outcome of a charge. `accepted`: an event will say that it was paid. Otherwise nothing was and will be taken. */
export type ChargeOutcome =
  | { readonly kind: 'accepted' }
  /** `code`: why, as the provider says, such as `insufficient_funds`. Trying later may help. */
  | { readonly kind: 'declined'; readonly code: string }
  /** The bank requires the holder of the card to confirm. */
  | { readonly kind: 'unconfirmed' }
  /** The card was removed at the provider. */
  | { readonly kind: 'gone' };

/** Money as a provider reports it: the currency in lower case, the amount in its smallest unit. */
export interface ProviderMoney {
  readonly currency: string;
  readonly cents: number;
}

/** `taken`: the money left the operator; `returned`: it came back, for good. */
export type ReversalState = 'taken' | 'returned';

/** What an event of the provider says. */
export type PaymentNews =
  | ({
      readonly kind: 'paid';
      readonly paymentId: string;
      readonly accountId: string;
      /** Null for an automatic payment. */
      readonly sessionId: string | null;
      readonly intent: string;
    } & ProviderMoney)
  /** A payer agreed that this card pays automatic payments of the account. */
  | ({ readonly kind: 'card'; readonly paymentId: string; readonly accountId: string } & SavedCard)
  /** The card of an automatic payment was refused. */
  | { readonly kind: 'declined'; readonly paymentId: string; readonly code: string }
  | { readonly kind: 'ended'; readonly paymentId: string; readonly status: 'expired' | 'failed' }
  | ({
      readonly kind: 'reversal';
      readonly reversalId: string;
      readonly of: 'refund' | 'dispute';
      /** Which payment's money. */
      readonly intent: string;
      readonly state: ReversalState;
    } & ProviderMoney)
  /** Nothing that moves money here. */
  | { readonly kind: 'other' };

/** An event whose signature was checked. */
export interface PaymentEvent {
  /** The provider's id: the same on every delivery. At most 200 characters. */
  readonly id: string;
  readonly type: string;
  readonly news: PaymentNews;
}

/** The outcome of an event. */
export interface HandledEvent {
  /**
   * `repeated`: it, or another about the same fact, was handled before. `waiting`: a refund of a payment that is not known
   * yet. `saved`: a card for automatic payments. `refused`: it does not fit its payment, and the operator has to look.
   */
  readonly outcome: ReversalState | ('credited' | 'saved' | 'ended' | 'waiting' | 'repeated' | 'ignored' | 'refused');
  /** Why, where that is not plain. */
  readonly reason: string | null;
}

/** Whether the payer is asked to let automatic payments use the card, and as whom the provider knows the account. */
export interface CheckoutOptions {
  readonly saveCard: boolean;
  /** Null for an account that has not saved a card yet. */
  readonly customer: string | null;
}

/** Takes money from callers. */
export interface PaymentProvider {
  /** A page where `payment` is paid. Repeating it for one payment gives the same page. Rejects with the provider's error. */
  checkout(payment: Payment, options?: CheckoutOptions): Promise<{ readonly sessionId: string; readonly url: string }>;
  /** Charges a saved card, once for each payment however often it is asked. Rejects when the outcome is not known. */
  charge(payment: Payment, card: SavedCard): Promise<ChargeOutcome>;
  /** Removes a saved card; no effect when it is gone. Rejects with the provider's error. */
  forget(card: SavedCard): Promise<void>;
  /** Reads an event. Throws Fault invalid_request when it is not signed by the provider, or too long ago. */
  read(body: Uint8Array, signature: string | undefined): Promise<PaymentEvent>;
}
