/**
 * The port between the desk, which owns orders and money, and the exchange, which owns books and slots. Both sides
 * speak plain data, one way at a time, so the exchange can live in another process: nothing here is a function, a
 * class or a promise. Each direction is a FIFO that delivers every message once (`link.ts` makes that of a channel
 * that delays, repeats, loses and reorders).
 *
 * The exchange decides who runs next; the desk may still refuse (canceled meanwhile, no money) and then gives the slot
 * back. The desk alone changes an order's state.
 */
import type { PriceNano } from '#base/money.ts';

/** What the desk tells the exchange. */
export type Command =
  | Rest
  | Withdraw
  /** Answered by `repriced`, or by `not-resting` for an order that is unknown, executing or on a fixed listing. */
  | { readonly type: 'reprice'; readonly model: string; readonly order: string; readonly bid: PriceNano }
  | Release
  /** Takes the account's orders out of every book until `unpark`, those that rest meanwhile too. Repeats are harmless. */
  | { readonly type: 'park'; readonly account: string }
  | { readonly type: 'unpark'; readonly account: string }
  | Capacity;

/** Puts an order in the book (market) or in its account's queue (fixed). Answered by `rested` or by `admit`. */
export interface Rest {
  readonly type: 'rest';
  readonly model: string;
  readonly order: string;
  readonly account: string;
  /** What it rests at: its limit, or the lower of quote and limit when locked; a fixed listing's price at the mix. */
  readonly bid: PriceNano;
  /** A lock's own limit, for arrival rates; null for an order that is not locked. */
  readonly lockLimit: PriceNano | null;
  /** Its place in time: null asks for a new one (a new order); a requeue or a restart passes the one it had. */
  readonly restedSeq: number | null;
  /** The attempt number an admission of it will carry: 1 for a new order. */
  readonly attempt: number;
  /** The pod that failed it last, to be avoided while another is free; null for none. */
  readonly avoidPod: string | null;
  /** House orders (probes) are left out of targets and rates. */
  readonly house: boolean;
}

/**
 * Takes a queued order out; no answer. An unknown or executing order is left alone. `expired`: it ran out of time, which
 * for a lock is a missed start; locks that leave for another reason are left out of the clear rate.
 */
export interface Withdraw {
  readonly type: 'withdraw';
  readonly model: string;
  readonly order: string;
  readonly expired: boolean;
}

/**
 * Gives a slot back; of a slot that this order, attempt and pod do not hold it changes nothing. `refused`: the order did
 * not start and is gone. `refused-parked`: it did not start and rests again at its old place, with its attempt number,
 * and its account is parked as by `park`.
 */
export interface Release {
  readonly type: 'release';
  readonly model: string;
  readonly order: string;
  readonly attempt: number;
  readonly pod: string;
  readonly reason: 'finished' | 'refused' | 'refused-parked';
}

/** The slots of one pod now; 0 slots or not healthy means that nothing more is sent to it. Repeats are harmless. */
export interface Capacity {
  readonly type: 'capacity';
  readonly model: string;
  readonly pod: string;
  readonly slots: number;
  readonly healthy: boolean;
}

/** What the exchange tells the desk. `seq` rises by one per market and event. */
export type ExchangeEvent =
  | {
      readonly type: 'rested';
      readonly model: string;
      readonly seq: number;
      readonly order: string;
      readonly restedSeq: number;
    }
  | Admit
  | {
      readonly type: 'repriced';
      readonly model: string;
      readonly seq: number;
      readonly order: string;
      readonly bid: PriceNano;
      readonly restedSeq: number;
    }
  | { readonly type: 'not-resting'; readonly model: string; readonly seq: number; readonly order: string }
  | LevelMoved
  | QuoteLatched
  | LocksResolved;

/** The order was chosen to run on `pod`, which keeps a slot for it until the desk releases it. */
export interface Admit {
  readonly type: 'admit';
  readonly model: string;
  readonly seq: number;
  readonly order: string;
  readonly attempt: number;
  readonly restedSeq: number;
  readonly pod: string;
  /** The published level at this dispatch, and the number of the level row that says so. Fixed listings: their price, 0. */
  readonly level: PriceNano;
  readonly levelSeq: number;
}

/** The published level changed, or the market became degraded or healthy again. Comes before any admission at it. */
export interface LevelMoved {
  readonly type: 'level';
  readonly model: string;
  readonly seq: number;
  readonly level: PriceNano;
  readonly levelSeq: number;
  readonly degraded: boolean;
  readonly atMs: number;
}

/**
 * A window of the quote began. To be recorded before it is published. `state` is what the market needs to go on from
 * after a restart, as JSON that nobody else reads; null for a preview.
 */
export interface QuoteLatched extends QuoteRow {
  readonly type: 'quote';
  readonly seq: number;
  /** The quote of the window before; null in the first one since a start. */
  readonly previousPrice: PriceNano | null;
  /** The measured share of locks that started in time, 0 to 1; null with too few, and on a preview. */
  readonly clearRate: number | null;
  readonly state: string | null;
}

/** The locks that were resolved in the minute that begins at `minuteMs`. */
export interface LockMinute {
  readonly minuteMs: number;
  readonly started: number;
  readonly missed: number;
}

/** How many locks of one minute started and missed so far; told at most once a second, each time whole. */
export interface LocksResolved extends LockMinute {
  readonly type: 'locks';
  readonly model: string;
  readonly seq: number;
}

/** The desk's end of the port. */
export interface ExchangePort {
  send(command: Command): void;
  /** Places from 1 of resting orders, in the order asked; null where an order does not rest in a book or is parked. */
  positions(model: string, orders: readonly string[]): Promise<(number | null)[]>;
  /** Called for each event, in order, never from inside `send`. One listener. */
  listen(onEvent: (event: ExchangeEvent) => void): void;
}

/** What may be known of a market now by anyone in this process; read from the events as they pass. */
export interface MarketView {
  /** The level in force; null for a fixed-price listing or an unknown model. */
  current(model: string): MarketSnapshot | null;
  /** The quote that stands, committed; null as above, and before the first one has committed. */
  quote(model: string): QuoteSnapshot | null;
}

/** One market at one moment. `degraded` is always false on a preview. Spec 2.8. */
export interface MarketSnapshot {
  readonly model: string;
  readonly level: PriceNano;
  readonly levelSeq: number;
  readonly mode: 'clearing' | 'preview';
  readonly degraded: boolean;
  readonly updatedAtMs: number;
  readonly preview: boolean;
}

/** The quote of one market in one window. Spec 2.8. */
export interface QuoteSnapshot {
  readonly model: string;
  readonly price: PriceNano;
  readonly previousPrice: PriceNano | null;
  /** When the next window begins. */
  readonly validUntilMs: number;
  readonly clearRate: number | null;
  readonly preview: boolean;
}

/** A row of the level history as it is stored; `levelSeq` rises by one per model. */
export interface LevelRow {
  readonly model: string;
  readonly levelSeq: number;
  readonly level: PriceNano;
  readonly atMs: number;
}

/** A quote as it is stored, in force from `atMs` to `untilMs` or the next row; `quoteSeq` rises by one per model. */
export interface QuoteRow {
  readonly model: string;
  readonly quoteSeq: number;
  readonly price: PriceNano;
  readonly atMs: number;
  readonly untilMs: number;
}

/** What a market's quote goes on from after a restart. */
export interface RecoveredQuote {
  readonly model: string;
  readonly quoteSeq: number;
  readonly price: PriceNano;
  readonly state: string | null;
  /** The outcomes of the last day. */
  readonly lockMinutes: readonly LockMinute[];
}

/** What a restart needs of the quotes. */
export interface QuoteStore {
  /** The newest quote of each model with its lock outcomes since `sinceMs`. */
  latest(sinceMs: number): Promise<RecoveredQuote[]>;
}

/** Up to sixty slots of one market and one width, from `fromMs` on; `level-block.ts` knows the bytes. */
export interface LevelBlock {
  readonly model: string;
  readonly widthMs: number;
  readonly fromMs: number;
  readonly slots: Uint8Array;
}

/** A block as it is stored: what one boot saw of that time. */
export interface StoredBlock extends LevelBlock {
  readonly boot: number;
}

/** Which blocks of a market are wanted: those of one width that begin at `fromMs` or later, by boots before `beforeBoot`. */
export interface WantedBlocks {
  readonly widthMs: number;
  readonly fromMs: number;
  readonly beforeBoot: number;
}

/** A time in which a gateway was up: from its start until its end, or until its last sign of life. */
export interface GatewayRun {
  readonly boot: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether it recorded blocks of every width. Runs before there were blocks left minutes and single changes. */
  readonly inBlocks: boolean;
}

/** A run that was cut off: what happened after `untilMs` is recorded change by change and not in blocks. */
export interface UnfinishedRun extends GatewayRun {
  /** The newest thing that it recorded. */
  readonly lastSignMs: number;
}

/** What earlier processes saw of the markets. Each method gives pages, so that a month never comes at once. */
export interface LevelPast {
  /** What earlier boots saw of one market, newest first, and of one time the newest boot first. */
  blocks(model: string, wanted: WantedBlocks): AsyncIterable<readonly StoredBlock[]>;
  /** Changes of one market before `beforeMs`, oldest first, from the one in force at `sinceMs` on. */
  changes(model: string, sinceMs: number, beforeMs: number): AsyncIterable<readonly LevelRow[]>;
  /** The run before this boot's, when it was cut off; null otherwise. */
  unfinished(boot: number): Promise<UnfinishedRun | null>;
  /** Runs that ended after `sinceMs` and began before `beforeMs`, oldest first. */
  runs(sinceMs: number, beforeMs: number): Promise<GatewayRun[]>;
}

/** What a restart needs of the markets. */
export interface LevelStore {
  /** The newest level row of each model; a model never traded is absent. */
  latest(): Promise<LevelRow[]>;
}
