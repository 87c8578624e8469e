/** The journal units of orders: what each writes, and the outcomes the journal returns. docs/understand/lifecycle.md. */
import type { PlainOutcome } from '#base/journal.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { OrderKind, OrderRow } from './order.ts';

/** The units of orders. */
export interface OrderUnits {
  readonly accept: { readonly unit: AcceptUnit; readonly outcome: AcceptOutcome };
  readonly admit: { readonly unit: AdmitUnit; readonly outcome: AdmitOutcome };
  readonly settle: { readonly unit: SettleUnit; readonly outcome: SettleOutcome };
  readonly fail: { readonly unit: FailUnit; readonly outcome: ReleaseOutcome };
  readonly requeue: { readonly unit: RequeueUnit; readonly outcome: ReleaseOutcome };
  readonly close: { readonly unit: CloseUnit; readonly outcome: PlainOutcome };
  readonly reprice: { readonly unit: RepriceUnit; readonly outcome: PlainOutcome };
  readonly adopt: { readonly unit: AdoptUnit; readonly outcome: PlainOutcome };
}

/** The admission part of a write: the order runs, and its worst case is held. */
export interface Admission {
  readonly attempt: number;
  readonly atMs: number;
  readonly pod: string;
  readonly price: PriceNano;
  readonly levelSeq: number;
  readonly restedSeq: number;
  readonly hold: NanoUsd;
  /** The key whose budget must cover the hold, too; absent where the order counts in none. */
  readonly budgetKey?: string;
  /** Of the lease of `model`: committed only while it is the present one. Both absent where one gateway serves alone. */
  readonly epoch?: number;
  readonly model?: string;
}

/** An account's money after a write. `held` never exceeds `balance`. */
export interface Funds {
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
}

/** Takes an order: queued when `admission` is null, else executing at once. */
export interface AcceptUnit {
  readonly kind: 'accept';
  /** The row as it is when queued. */
  readonly order: OrderRow;
  readonly admission: Admission | null;
  readonly idempotency: IdempotencyRow | null;
  /** Its line number, when it belongs to a batch: a line gets one order only. Null outside any batch. */
  readonly line: number | null;
  /** The warning about misspelt names in the line; null for nothing, and outside any batch. */
  readonly lineWarning: string | null;
  /** The pod's input as JSON, kept for orders that outlive their caller; null otherwise. */
  readonly body: string | null;
  /** The same, logged for the operator where the account asks for it; null otherwise. */
  readonly requestLog: { readonly body: string; readonly expiresAtMs: number } | null;
}
/** Why a hold was not granted. */
export type HoldRefusal = 'parked' | 'unfunded' | 'key-held' | 'key-spent';
/**
 * parked: the hold was refused only because of the account's own holds; the row is queued. unfunded: error row.
 * key-held, key-spent: the same of the budget of the key.
 * line-refused: the batch takes no more lines, or has an order for this one; nothing was written. stale-epoch: the
 * market has another owner by now, which must choose again; nothing was written.
 */
export type AcceptOutcome =
  | { readonly result: 'queued' }
  | { readonly result: 'line-refused' }
  | { readonly result: 'stale-epoch' }
  | { readonly result: 'executing' | HoldRefusal; readonly funds: Funds }
  | { readonly result: 'key-taken'; readonly existing: IdempotencyRow };

/** A queued order runs. Nothing changes if it is `gone`, no longer queued, or the epoch is stale, as above. */
export interface AdmitUnit {
  readonly kind: 'admit';
  readonly orderId: string;
  readonly accountId: string;
  readonly admission: Admission;
}
export type AdmitOutcome =
  | { readonly result: 'executing' | HoldRefusal; readonly funds: Funds }
  | { readonly result: 'gone' }
  | { readonly result: 'stale-epoch' };

/** What the order service knows of a running order, so that settling it needs no read. */
export interface RunningOrder {
  readonly createdAtMs: number;
  readonly kind: OrderKind;
  /** Whether it has a price limit; false on a listing with fixed prices. */
  readonly market: boolean;
  readonly outlives: boolean;
  readonly batchId: string | null;
  /** Null or absent for none. */
  readonly tags?: readonly string[] | null;
  /** The hold in its row; a settlement that names another amount can never be applied. */
  readonly hold: NanoUsd;
}

/** Usage record, ledger entry, debit, hold released and `done`, in one transaction. */
export interface SettleUnit {
  readonly kind: 'settle';
  readonly orderId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  /** Whether it counts in the budget of its key. */
  readonly budgeted: boolean;
  readonly attempt: number;
  readonly running: RunningOrder;
  readonly finishedAtMs: number;
  readonly model: string;
  readonly pricing: 'market' | 'fixed';
  readonly price: PriceNano;
  readonly tokens: Tokens;
  /** What the tokens cost; the debit is the lowest of this, `maxCharge` and hold + free balance, the rest is written off. */
  readonly charge: NanoUsd;
  /** The most that may be debited; null or absent for any amount. */
  readonly maxCharge?: NanoUsd | null;
  /** What they would have cost at min(bid, listing's ceiling), at most `maxCharge`: the totals of a list show what the market saved. */
  readonly atBid: NanoUsd;
  /** Whether the counts are the gateway's estimate. */
  readonly estimated: boolean;
  /** When the first token came, in epoch milliseconds; null or absent where none did. */
  readonly firstOutputAtMs?: number | null;
  /** The size of the result when it is kept from now on; null when it follows or none will be kept. */
  readonly resultBytes: number | null;
  /** The result to keep in this transaction; null when it is in the result store already, or not kept from now on. */
  readonly resultText: string | null;
  /** Until when the result is kept, wherever it is; null when none will be. */
  readonly resultExpiresAtMs: number | null;
}
/** `stale`: the order was no longer executing this attempt, nothing changed. */
export type SettleOutcome =
  | { readonly result: 'settled'; readonly charged: NanoUsd; readonly writtenOff: NanoUsd; readonly funds: Funds }
  | { readonly result: 'stale' };

/** An executing order ends as `error`; the hold is released, nothing is charged. */
export interface FailUnit {
  readonly kind: 'fail';
  readonly orderId: string;
  readonly accountId: string;
  readonly attempt: number;
  readonly finishedAtMs: number;
  readonly error: string;
  readonly errorMessage: string;
}
/** An executing order goes back to the book at its old place; the hold is released. */
export interface RequeueUnit {
  readonly kind: 'requeue';
  readonly orderId: string;
  readonly accountId: string;
  readonly attempt: number;
  readonly expiresAtMs: number;
  readonly failures: number;
}
export type ReleaseOutcome = { readonly result: 'released'; readonly funds: Funds } | { readonly result: 'stale' };

/** A queued order ends without running. `stale`: it was not queued. */
export interface CloseUnit {
  readonly kind: 'close';
  readonly orderId: string;
  readonly accountId: string;
  readonly status: 'canceled' | 'expired' | 'error';
  readonly error: string;
  readonly errorMessage: string;
  readonly finishedAtMs: number;
}
/** A queued order rests at another price, behind those already there. Its limit is its bid, unless it has a deadline. */
export interface RepriceUnit {
  readonly kind: 'reprice';
  readonly orderId: string;
  readonly bid: PriceNano;
  readonly limit?: PriceNano;
  /** Null for an order that waits for money: it gets a place when it returns to its market. */
  readonly restedSeq: number | null;
}

/** A batch whose files are written by another gateway: where, from now on. The former may still write where it did. */
interface AdoptedBatch {
  readonly id: string;
  readonly outputFileId: string;
  readonly errorFileId: string;
}

/**
 * Orders and batches that still belong to the dead gateway `from` are its adopter's from now on. Written by its
 * adopter, after it has ended or requeued what was running.
 */
export interface AdoptUnit {
  readonly kind: 'adopt';
  /** Boot epochs. */
  readonly from: number;
  readonly to: number;
  readonly orders: readonly string[];
  readonly batches: readonly AdoptedBatch[];
}

/** An Idempotency-Key in use. */
export interface IdempotencyRow {
  readonly accountId: string;
  readonly endpoint: string;
  readonly key: string;
  readonly orderId: string;
  readonly fingerprint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}
