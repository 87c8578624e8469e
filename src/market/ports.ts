/**
 * The port between the order service, which owns orders and money, and the exchange, which owns books and slots. Both
 * send plain messages, so that the exchange can live in another process: there are no functions, classes or promises in
 * them. Each direction is an exactly-once FIFO.
 *
 * The exchange decides who runs next. The order service can still refuse (canceled meanwhile, no money) and then gives
 * the slot back. Only the order service changes the state of an order.
 */
import { Fault } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import type { MarketTerms } from './listing.ts';

/** A message from the order service to the exchange. */
export type Command =
  | Rest
  | Withdraw
  /**
   * Another bid, or another limit of an order with a deadline. Answered by `repriced`, or by `not-resting` for an order
   * that is unknown, executing or on a fixed listing.
   */
  | { readonly type: 'reprice'; readonly model: string; readonly order: string; readonly bid: PriceNano }
  | Release
  /**
   * An order that an earlier exchange admitted has its slot still: it executes until its release, also on a pod whose
   * capacity is not known yet. No answer; nothing changes for an order that is here.
   */
  | ({ readonly type: 'hold' } & HeldSlot)
  | Capacity;

/** Puts an order in the book (market) or in its account's queue (fixed). Answered by `rested` or `admit`. */
export interface Rest {
  readonly type: 'rest';
  readonly model: string;
  readonly order: string;
  readonly account: string;
  /** The bid: its limit; for a lock the lower of quote and limit; on a fixed listing its price at the reference mix. */
  readonly bid: PriceNano;
  /** The price limit of a lock, for arrival rates; null for any other order. */
  readonly lockLimit: PriceNano | null;
  /** Its rested seq: null asks for a new one (a new order); a requeue or a restart passes the one it had. */
  readonly restedSeq: number | null;
  /** The attempt number of its next admission: 1 for a new order. */
  readonly attempt: number;
  /** The pod that failed it last, avoided while another is free; null for none. */
  readonly avoidPod: string | null;
  /** House orders (probes) do not count in targets and rates. */
  readonly house: boolean;
  /** It was out of its book for lack of money, so its bid must stand again before it counts. Absent for any other order. */
  readonly waitedForMoney?: true;
  /**
   * The market chooses and moves the bid of an order that has it. A new one bids what the market says, whatever `bid` is;
   * one that has rested keeps `bid` until its turn. Absent for any other order.
   */
  readonly deadline?: DeadlineTerms;
}

/** An order that is to start by a time, at the lowest price at which it probably does (`deadline-bids.ts`). */
export interface DeadlineTerms {
  /** The most that it may bid. */
  readonly limit: PriceNano;
  readonly byMs: number;
}

/**
 * Removes a queued order; no answer. An unknown or executing order is left alone. `expired` means that it ran out of
 * time, which for a lock is a missed start. Locks that leave for another reason do not count in the clear rate.
 */
export interface Withdraw {
  readonly type: 'withdraw';
  readonly model: string;
  readonly order: string;
  readonly expired: boolean;
  /** It leaves for lack of money and will come back, which says nothing about the market. Absent for any other order. */
  readonly waitsForMoney?: true;
}

/**
 * Gives a slot back. It changes nothing unless this order, attempt and pod hold the slot. `refused`: the order did not
 * start and is gone.
 */
export interface Release {
  readonly type: 'release';
  readonly model: string;
  readonly order: string;
  readonly attempt: number;
  readonly pod: string;
  readonly reason: 'finished' | 'refused';
}

/** A slot that an order holds, or may hold: its admission may still be on its way to the database. */
export interface HeldSlot {
  readonly model: string;
  readonly order: string;
  readonly account: string;
  readonly attempt: number;
  readonly pod: string;
  readonly bid: PriceNano;
  readonly restedSeq: number;
  readonly house: boolean;
}

/** The current slots of one pod. A pod with 0 slots or unhealthy gets no new orders. Can be repeated. */
export interface Capacity {
  readonly type: 'capacity';
  readonly model: string;
  readonly pod: string;
  readonly slots: number;
  readonly healthy: boolean;
}

/** A message from the exchange. `seq` rises by one per market and event. */
export type ExchangeEvent = OrderEvent | MarketEvent;

/** An event about a market, for its record and for those who follow it. */
export type MarketEvent = LevelMoved | QuoteLatched | LocksResolved;

/** An event about an order, for the order service. */
export type OrderEvent =
  /** `bid` is of an order with a deadline, and absent from any other. */
  | ({ readonly type: 'rested'; readonly restedSeq: number; readonly bid?: PriceNano } & OfOrder)
  | Admit
  /** The market moved the bid of an order with a deadline: it answers no command and needs no answer. */
  | ({ readonly type: 'moved'; readonly bid: PriceNano; readonly restedSeq: number } & OfOrder)
  /** `limit` is the new one of an order with a deadline, whose bid the market chose; absent where the bid is the limit. */
  | ({
      readonly type: 'repriced';
      readonly bid: PriceNano;
      readonly limit?: PriceNano;
      readonly restedSeq: number;
    } & OfOrder)
  | ({ readonly type: 'not-resting' } & OfOrder);

interface OfOrder {
  readonly model: string;
  readonly seq: number;
  readonly order: string;
}

/** The order was chosen to run on `pod`, where a slot is held for it until the order service releases it. */
export interface Admit extends OfOrder {
  readonly type: 'admit';
  readonly attempt: number;
  readonly restedSeq: number;
  readonly pod: string;
  /** The published level at this dispatch and the number of its level row. On a fixed listing, its price and 0. */
  readonly level: PriceNano;
  readonly levelSeq: number;
  /** What an order with a deadline bids; absent for any other. */
  readonly bid?: PriceNano;
  /** The epoch of the lease under which the market's owner decided this; absent where one gateway serves alone. */
  readonly epoch?: number;
}

/** The published level changed, or the market became degraded or healthy. Comes before any admission at it. */
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
 * A window of the quote began. It must be recorded before it is published. `state` is what the market continues from
 * after a restart, as JSON that only the market reads; null for a preview.
 */
export interface QuoteLatched extends QuoteRow, PromiseFigures {
  readonly type: 'quote';
  readonly seq: number;
  /** The quote of the previous window; null in the first window after a start. */
  readonly previousPrice: PriceNano | null;
  readonly state: string | null;
}

/** How the promise of a quote is kept, as of the beginning of a window. All null on a preview. */
interface PromiseFigures {
  /** The measured share of locks that started in time, 0 to 1; null with too few locks. */
  readonly clearRate: number | null;
  /** The same of the locks whose quote was above the lowest level. */
  readonly scarceClearRate: number | null;
  /** Whether slots come free often enough to keep it (`slot-turnover.ts`); null while that is unknown. */
  readonly attainable: boolean | null;
}

/** The locks resolved in the minute that begins at `minuteMs`. */
export interface LockMinute {
  readonly minuteMs: number;
  readonly started: number;
  readonly missed: number;
  /** The started locks whose quote was above the lowest level. */
  readonly scarceStarted: number;
  readonly scarceMissed: number;
}

/** The locks resolved so far in one minute: the full counts, sent at most once a second. */
export interface LocksResolved extends LockMinute {
  readonly type: 'locks';
  readonly model: string;
  readonly seq: number;
}

/** The order service's end of the port. */
export interface ExchangePort {
  send(command: Command): void;
  /** Positions from 1, in the order asked; null for an order that does not rest in a book. */
  positions(model: string, orders: readonly string[]): Promise<(number | null)[]>;
  /** Called for each event, in order, never from inside `send`. One listener. */
  listen(onEvent: (event: ExchangeEvent) => void): void;
}

/** The current state of the markets in this process, kept from the events. */
export interface MarketView {
  /** The level in force; null for a fixed-price listing or an unknown model. */
  current(model: string): MarketSnapshot | null;
  /** The committed quote in force; null as above, and until the first one has committed. */
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
export interface QuoteSnapshot extends PromiseFigures {
  readonly model: string;
  readonly quoteSeq: number;
  readonly price: PriceNano;
  readonly previousPrice: PriceNano | null;
  /** When the next window begins. */
  readonly validUntilMs: number;
  readonly preview: boolean;
}

/** A stored row of the level history; `levelSeq` rises by one per model. */
export interface LevelRow {
  readonly model: string;
  readonly levelSeq: number;
  readonly level: PriceNano;
  readonly atMs: number;
}

/** A stored quote, in force from `atMs` to `untilMs` or the next row; `quoteSeq` rises by one per model. */
export interface QuoteRow {
  readonly model: string;
  readonly quoteSeq: number;
  readonly price: PriceNano;
  readonly atMs: number;
  readonly untilMs: number;
}

/** The state from which a market's quote continues after a restart. */
export interface RecoveredQuote {
  readonly model: string;
  readonly quoteSeq: number;
  readonly price: PriceNano;
  readonly state: string | null;
  /** The lock outcomes of the last day. */
  readonly lockMinutes: readonly LockMinute[];
}

/** The quote of a market. Throws Fault `unavailable` while its owner has not published one. */
export function standingQuote(market: Pick<MarketView, 'quote'>, model: string): QuoteSnapshot {
  const quote = market.quote(model);
  if (!quote)
    throw new Fault('unavailable', { message: `The market of ${model} has no quote yet. Try again shortly.` });
  return quote;
}

/** Whether the state of a quote was stored before the level followed demand: it has no accounts. */
export function isOfEarlierRule({ state }: Pick<RecoveredQuote, 'state'>): boolean {
  return state !== null && !JSON.parse(state)?.runs;
}

/**
 * Opens the market of a listing that is new. It emits its first level and quote. Nothing changes for a model that is
 * already there.
 */
export interface OpenMarket {
  readonly type: 'open';
  readonly model: string;
  readonly listing: MarketTerms;
  /** As of `ExchangeOptions`, of this model: it may have been sold before. */
  readonly recovered: LevelRow | null;
  readonly recoveredQuote: RecoveredQuote | null;
}

/**
 * Changes floor, ceiling, reserve and the share of one account; or opens a market that was in preview, at its level and
 * quote. Orders keep their places and bids, and the quote stands until its window ends. Nothing changes for an unknown
 * model, and a market does not become a preview.
 */
interface ChangeTerms {
  readonly type: 'terms';
  readonly model: string;
  readonly listing: MarketTerms;
}

/** Everything that an exchange receives. */
export type AnyCommand = Command | OpenMarket | ChangeTerms;

/** An event before its market numbers it. */
export type Unnumbered = ExchangeEvent extends infer Event
  ? Event extends ExchangeEvent
    ? Omit<Event, 'model' | 'seq'>
    : never
  : never;
