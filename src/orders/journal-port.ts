/**
 * The durable writes of orders and of the market's data. Each unit is plain data that the journal applies whole or not
 * at all; a unit may be applied twice and answers the same. docs/lifecycle.md.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Tokens } from '#ledger/tariff.ts';
import type { LevelBlock, LevelRow, LockMinute, QuoteRow } from '#market/ports.ts';
import type { BatchOutcomes, BatchUnit } from './batch-units.ts';
import type { OrderKind, OrderRow } from './order.ts';
import type { JsonObject } from './request.ts';

/** The admission part of a write: the order runs, and its worst case is set aside. */
export interface Admission {
  readonly attempt: number;
  readonly atMs: number;
  readonly pod: string;
  readonly levelAtExecution: PriceNano;
  readonly levelSeq: number;
  readonly priceCap: PriceNano;
  readonly restedSeq: number;
  readonly hold: NanoUsd;
}

/** An account's money after a write. `held` never exceeds `balance`. */
export interface Funds {
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
}

/** Takes an order: queued when `admission` is null, else at once executing. */
export interface AcceptUnit {
  readonly kind: 'accept';
  /** The row as it reads when queued. */
  readonly order: OrderRow;
  readonly admission: Admission | null;
  readonly idempotency: IdempotencyRow | null;
  /** The number of its line, where it belongs to a batch: an order for a line is taken once. Null outside any batch. */
  readonly line: number | null;
  /** The pod's input, kept for orders that outlive their caller; null otherwise. */
  readonly body: JsonObject | null;
  /** The same for the operator to read, where the account asks for it; null otherwise. */
  readonly requestLog: { readonly body: JsonObject; readonly expiresAtMs: number } | null;
}
/**
 * parked: the hold was refused only because of the account's own holds; the row is queued. unfunded: error row.
 * line-refused: the batch takes no lines any more, or has an order for this one; nothing was written.
 */
export type AcceptOutcome =
  | { readonly result: 'queued' }
  | { readonly result: 'line-refused' }
  | { readonly result: 'executing' | 'parked' | 'unfunded'; readonly funds: Funds }
  | { readonly result: 'key-taken'; readonly existing: IdempotencyRow };

/** A queued order runs. `gone`: it was not queued any more, nothing changed. */
export interface AdmitUnit {
  readonly kind: 'admit';
  readonly orderId: string;
  readonly accountId: string;
  readonly admission: Admission;
}
export type AdmitOutcome =
  | { readonly result: 'executing' | 'parked' | 'unfunded'; readonly funds: Funds }
  | { readonly result: 'gone' };

/** What the desk knows of an order that runs, so that nothing need be read to settle it. */
export interface RunningOrder {
  readonly createdAtMs: number;
  readonly kind: OrderKind;
  /** Whether it has a price limit: a listing with fixed prices knows none. */
  readonly market: boolean;
  readonly outlives: boolean;
  readonly batchId: string | null;
  /** What its row holds; a settlement that names another amount can never be applied. */
  readonly hold: NanoUsd;
}

/** Usage row, ledger entry, debit, hold released and `done`, together. */
export interface SettleUnit {
  readonly kind: 'settle';
  readonly orderId: string;
  readonly accountId: string;
  readonly attempt: number;
  readonly running: RunningOrder;
  readonly finishedAtMs: number;
  readonly model: string;
  readonly pricing: 'market' | 'fixed';
  readonly levelAtExecution: PriceNano;
  readonly tokens: Tokens;
  /** What the tokens cost; the debit is the lower of this and hold + free balance, the rest is written off. */
  readonly charge: NanoUsd;
  /** What they would have cost at min(bid, the listing's ceiling): the totals of a list say what the market saved. */
  readonly atBid: NanoUsd;
  /** Whether the counts are the gateway's estimate. */
  readonly estimated: boolean;
  /** The size of the result's body, where it is kept from now on; null when it follows or none will be kept. */
  readonly resultBytes: number | null;
  /** The body to keep in this transaction; null when it is in the result store already, or not kept from now on. */
  readonly resultBody: string | null;
  /** Until when the result is kept, wherever its body is now; null when none will be. */
  readonly resultExpiresAtMs: number | null;
}
/** `stale`: the order was not executing this attempt any more, nothing changed. */
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
  readonly status: 'canceled' | 'expired' | 'error';
  readonly error: string;
  readonly errorMessage: string;
  readonly finishedAtMs: number;
}
/** A queued order rests at another price, behind those already there. */
export interface RepriceUnit {
  readonly kind: 'reprice';
  readonly orderId: string;
  readonly bid: PriceNano;
  readonly restedSeq: number;
}
/** The body of an order that is done is in the result store. `stale`: nobody wants it any more. */
export interface ResultStoredUnit {
  readonly kind: 'result-stored';
  readonly orderId: string;
  readonly accountId: string;
  readonly bytes: number;
}
/** Nothing is kept for an order that is done from now on; `delete` of the result store follows the commit. */
export interface ResultRemovedUnit {
  readonly kind: 'result-removed';
  readonly orderId: string;
  readonly accountId: string;
}
/** A file whose content is there is entered and counts to what its account keeps. */
export interface FileAddedUnit {
  readonly kind: 'file-added';
  readonly accountId: string;
  readonly id: string;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}
/** A file is forgotten; its content may be deleted after the commit. */
export interface FileRemovedUnit {
  readonly kind: 'file-removed';
  readonly accountId: string;
  readonly id: string;
}
/** A file's content does not count any more and may be deleted after the commit; its row stays. */
export interface FileEmptiedUnit {
  readonly kind: 'file-emptied';
  readonly accountId: string;
  readonly id: string;
}
/** How much of an account's download allowance was used up at a moment. */
export interface DownloadUnit {
  readonly kind: 'download';
  readonly accountId: string;
  readonly usedBytes: number;
  readonly atMs: number;
}
export type PlainOutcome = { readonly result: 'changed' | 'stale' };

/** The published level moved. */
export interface LevelUnit extends LevelRow {
  readonly kind: 'level';
}

/** A window of a quote began. `state` is kept with the newest one only. */
export interface QuoteUnit extends QuoteRow {
  readonly kind: 'quote';
  readonly state: string | null;
}

/** How many locks of one minute started and missed, whole. */
export interface LocksUnit extends LockMinute {
  readonly kind: 'locks';
  readonly model: string;
}

/** The levels in blocks, each whole, and until when this boot's are recorded. Blocks of other boots are left alone. */
export interface LevelBlocksUnit {
  readonly kind: 'level-blocks';
  readonly boot: number;
  readonly untilMs: number;
  readonly blocks: readonly LevelBlock[];
}

export type JournalUnit =
  | AcceptUnit
  | BatchUnit
  | AdmitUnit
  | SettleUnit
  | FailUnit
  | RequeueUnit
  | CloseUnit
  | RepriceUnit
  | ResultStoredUnit
  | ResultRemovedUnit
  | FileAddedUnit
  | FileRemovedUnit
  | FileEmptiedUnit
  | DownloadUnit
  | LevelUnit
  | QuoteUnit
  | LocksUnit
  | LevelBlocksUnit;

/** What each kind of unit answers. */
export interface JournalOutcomes extends BatchOutcomes {
  accept: AcceptOutcome;
  admit: AdmitOutcome;
  settle: SettleOutcome;
  fail: ReleaseOutcome;
  requeue: ReleaseOutcome;
  close: PlainOutcome;
  reprice: PlainOutcome;
  'result-stored': PlainOutcome;
  'result-removed': PlainOutcome;
  'file-added': PlainOutcome;
  'file-removed': PlainOutcome;
  'file-emptied': PlainOutcome;
  download: PlainOutcome;
  level: PlainOutcome;
  quote: PlainOutcome;
  locks: PlainOutcome;
  'level-blocks': PlainOutcome;
}

/** Group commit: a FIFO of decisions; the database always holds a prefix of it. */
export interface JournalPort {
  /**
   * Resolves when the unit has committed. Units commit in the order they were written. A unit whose commit fails is
   * retried until it commits or the journal is closed. Rejects with a Fault `unavailable` when the queue is full
   * (only kinds `accept` are refused so), and with the database's error for a unit that can never be applied.
   */
  write<Unit extends JournalUnit>(unit: Unit): Promise<JournalOutcomes[Unit['kind']]>;
  /** True while the database does not commit; nothing is admitted then. */
  readonly stalled: boolean;
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
