/**
 * The prices of a market listing: its book, the level (`level.ts`) and the quote (`quote.ts`), with their numbered rows. Level and quote depend
 * on how the market stood over time, so the time up to now is counted (`count`) before anything changes book or slots.
 */
import type { PriceNano } from '#base/money.ts';
import type { Random } from '#base/random.ts';
import { claimOf } from '../book/held-times.ts';
import { CLAIM_PARTS, type MarketOrder, slotsHeldMax } from '../book/market-order.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import { PriceQueue } from '../book/price-queue.ts';
import type { DeadlineOutlook } from '../deadlines/deadline-bids.ts';
import { PastLevels, type PastLevelsState } from '../deadlines/past-levels.ts';
import { type MarketOdds, oddsOf } from '../estimates/odds.ts';
import { OrderFlow } from '../estimates/order-flow.ts';
import { type EstimateState, ShadowOrders } from '../estimates/shadow-orders.ts';
import type { MarketTerms } from '../listing.ts';
import type { Capacity, OpenMarket, Rest, Unnumbered, Withdraw } from '../ports.ts';
import { Clearing, type ClearingState } from '../price/clearing.ts';
import { DemandCurve } from '../price/demand-curve.ts';
import { Quote, type QuoteSettings, type QuoteState } from '../price/quote.ts';
import type { StandingQuote } from '../price/quote-windows.ts';
import { SlotTurnover, type TurnoverState } from '../price/slot-turnover.ts';
import { Depth } from './depth.ts';
import type { MarketSituation } from './situation.ts';

/** The state from which the prices of one market start: at its floor if it never traded. */
export interface PriceOptions extends Pick<OpenMarket, 'listing' | 'recovered' | 'recoveredQuote'> {
  readonly levelTimeConstantMs: number;
  readonly quotes: QuoteSettings;
  /** Draws the instants of quote readings: must be unpredictable, or recorded for a replay. */
  readonly random: Random;
  readonly nowMs: number;
}

/** Book, level and quote of one market. */
export class MarketPrices {
  readonly queue: PriceQueue;
  readonly clearing: Clearing;
  readonly quote: Quote;
  readonly depth: Depth;
  /** The claims of the waiting orders that stand before others, by bid. */
  readonly #standing = new DemandCurve();
  readonly #past: PastLevels;
  readonly #flow: OrderFlow;
  readonly #shadows: ShadowOrders;
  readonly #turnover: SlotTurnover;
  readonly #pods: PodSlots;
  /** The terms in force; level and quote read them when they are computed. */
  readonly #terms: { -readonly [Name in keyof MarketTerms]: MarketTerms[Name] };
  readonly #emit: (event: Unnumbered) => void;
  /** The number of the level row in force. */
  levelSeq: number;
  #quoteSeq: number;
  /** The state in the last row of a quote; empty before the first. */
  #state = '';
  /** The estimates in it, and their text, which stays the same until an outcome is known. */
  #estimates: readonly [state: EstimateState | null, text: string] = [null, ''];
  /** The time up to which prices were counted: that of every change until the next `count`. */
  #countedToMs: number;

  constructor(options: PriceOptions, pods: PodSlots, emit: (event: Unnumbered) => void) {
    const { listing, levelTimeConstantMs, recovered, recoveredQuote, nowMs } = options;
    const state = priceStateFrom(recoveredQuote?.state ?? null);
    this.#countedToMs = nowMs;
    this.#pods = pods;
    this.#terms = { ...listing };
    this.#emit = emit;
    this.levelSeq = recovered?.levelSeq ?? 0;
    this.#quoteSeq = recoveredQuote?.quoteSeq ?? 0;
    this.queue = new PriceQueue(listing.accountShareMax, listing.reserve);
    const { targetStartRate: target, executeWindowMs: windowMs } = options.quotes;
    this.#turnover = new SlotTurnover({ target, windowMs }, nowMs, state?.turnover);
    this.#past = new PastLevels(state?.past);
    const clearing = {
      settings: { bounds: this.#terms, timeConstantMs: levelTimeConstantMs },
      start: recovered?.level ?? listing.floor,
      ...{ pods, turnover: this.#turnover, state },
      heldMax: () => slotsHeldMax(this.#terms.accountShareMax, pods.total),
      stood: (level: PriceNano, atMs: number) => this.#past.count(level, atMs),
      stands: (order: MarketOrder, claim: number) => this.#stands(order, claim),
    };
    this.clearing = new Clearing(clearing, nowMs);
    this.depth = new Depth(listing.ceiling);
    this.#flow = new OrderFlow(nowMs);
    this.#shadows = new ShadowOrders(nowMs, state?.estimates);
    const quote = {
      settings: options.quotes,
      ...{ bounds: this.#terms, random: options.random, pods },
      ...{ standing: this.#standing, turnover: this.#turnover, clearing: this.clearing },
      latched: (latched: StandingQuote) => this.#latches(latched),
      recovered: { state, lockMinutes: recoveredQuote?.lockMinutes ?? [] },
    };
    this.quote = new Quote(quote, recoveredQuote?.price ?? this.clearing.level.published, nowMs);
  }

  /** The state from which another exchange continues. */
  situation(): Pick<MarketSituation, 'level' | 'quote' | 'arrivals' | 'turnover'> {
    return {
      level: this.clearing.level.published,
      quote: { price: this.quote.standing.price, state: this.#state },
      arrivals: this.#flow.arrivals,
      turnover: this.#turnover.state(),
    };
  }

  /** What stands between orders and their start, by price. As of `oddsOf`. */
  odds(atMs: number, alone: PriceNano | null = null): MarketOdds {
    const { total: slots, free } = this.#pods;
    const { corrections, reliability } = this.#shadows;
    const standing = { atMs, slots, free, reserve: this.#terms.reserve, corrections, reliability };
    return oddsOf(standing, this.#flow, this.queue.book, alone);
  }

  /** What orders with a deadline are bid by. */
  outlook(atMs: number): DeadlineOutlook {
    return { odds: this.odds(atMs), past: this.#past, floor: this.#terms.floor };
  }

  /** Emits the first level and the first quote. */
  open(nowMs: number): void {
    this.#publishLevel(nowMs);
    this.#publishQuote(this.quote.standing);
  }

  /** Counts the time up to now, during which nothing changed but the age of bids. */
  count(nowMs: number): void {
    const { clearing } = this;
    for (let dueMs = clearing.dueBy(nowMs); dueMs <= nowMs; dueMs = clearing.dueBy(nowMs)) {
      // Time that a clock repeats after it stepped back is not counted twice.
      this.#countTo(Math.min(nowMs, Math.max(dueMs, this.#countedToMs)));
    }
    this.#countTo(nowMs);
  }

  #countTo(nowMs: number): void {
    this.#countedToMs = nowMs;
    if (this.#pods.free > 0) this.#shadows.starts(this.#terms.reserve - 1, 0);
    this.#turnover.count(this.#pods.total, nowMs);
    this.quote.count(nowMs);
    this.clearing.count(nowMs);
  }

  /** Moves the level and emits the lock outcomes since the last tick. */
  tick(nowMs: number): void {
    this.count(nowMs);
    this.#flow.tick(this.#pods.held, nowMs);
    this.#shadows.tick(nowMs, (bid) => this.odds(nowMs, bid));
    if (this.clearing.tick(nowMs)) this.#publishLevel(nowMs);
    for (const minute of this.quote.clearRate.takeChanged()) this.#emit({ type: 'locks', ...minute });
  }

  /** Other terms. The level lies within its bounds at once, the quote from its next window on. */
  renew(terms: MarketTerms, nowMs: number): void {
    Object.assign(this.#terms, terms);
    this.depth.ceiling = terms.ceiling;
    if (this.clearing.level.bound()) this.#publishLevel(nowMs);
  }

  /** Sets what one pod can run now. */
  capacity({ pod, slots, healthy }: Capacity, nowMs: number): void {
    this.#pods.set(pod, slots, healthy);
    if (this.clearing.slotsChanged(nowMs)) this.#publishLevel(nowMs);
  }

  /** An order came that may run now, whether it enters the book or starts at once. */
  arrives(order: MarketOrder, rest: Rest, when: { readonly isNew: boolean; readonly nowMs: number }): void {
    this.quote.rests(order, rest, when);
    order.levelThen = this.clearing.level.published;
    if (!when.isNew || order.house) return;
    this.#flow.arrives(order.price);
    // The bid of a lock is chosen to start in time, and would teach that others of such a chance do, too.
    if (rest.lockLimit === null) this.#shadows.arrives(order);
  }

  /** An order entered the book. `known`: it had rested or run before, so it stands before others at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    if (order.house) return;
    this.clearing.waits(order, known, nowMs);
    if (known) this.#stands(order, this.clearing.runs.claimOf(order.account));
  }

  /** A waiting order has a new price, and bid `before` until now. A lower one counts at once. */
  reprices(order: MarketOrder, before: PriceNano, nowMs: number): void {
    if (order.house) return;
    if (order.price > before) this.clearing.waits(order, false, nowMs);
    if (order.stands === null || order.price >= order.stands) return;
    this.#stands(order, order.claim / CLAIM_PARTS);
    this.quote.lowers(order, nowMs);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    if (order.stands === null) return;
    this.#standing.add(order.stands, -order.claim);
    this.depth.remove(order.account, order.stands);
    order.stands = null;
  }

  /**
   * An order was withdrawn, or `expired`: its bid was not served, so it says nothing about those to come. An order that
   * waits for money did not give up either.
   */
  withdraws(order: MarketOrder, { expired, waitsForMoney }: Withdraw, nowMs: number): void {
    if (order.state === 'waiting' && !order.house) {
      if (waitsForMoney) this.clearing.waitsForMoney(order, nowMs);
      else {
        this.#flow.leaves(order.price);
        this.clearing.leaves(order, nowMs);
      }
      this.quote.asks(order, this.clearing.claimOf(order), nowMs);
    }
    if (expired) this.quote.expires(order, nowMs);
  }

  /** An order was given a slot, after it waited for some time if `isQueued`. */
  starts(order: MarketOrder, isQueued: boolean, nowMs: number): void {
    if (order.house) return;
    this.#turnover.starts();
    this.#shadows.starts(order.price, order.seq);
    this.clearing.starts(order, isQueued, nowMs);
    this.quote.starts(order, nowMs);
  }

  /** An order holds a slot that it was given by an earlier exchange, where its start has counted. */
  holds(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    this.#turnover.starts();
    this.clearing.holds(order, nowMs);
  }

  /** An order gave its slot back; `refused` when it never started. */
  ends(order: MarketOrder, refused: boolean, nowMs: number): void {
    if (order.house) return;
    const heldMs = refused ? 0 : nowMs - order.sinceMs;
    const claimed = refused ? 0 : claimOf(heldMs);
    this.#turnover.ends(heldMs);
    if (!refused) this.#flow.ends();
    this.clearing.ends(order, { claimed, heldMs: refused ? null : heldMs }, nowMs);
    this.quote.ends(order, claimed, nowMs);
    if (refused) this.quote.refused(order);
  }

  /** A waiting order stands before others at its price with this part of a slot, 0 for none. */
  #stands(order: MarketOrder, claim: number): void {
    const claimed = Math.round(claim * CLAIM_PARTS);
    if (order.stands !== order.price) {
      this.leaves(order);
      order.stands = order.price;
      order.claim = 0;
      this.depth.add(order.account, order.price);
    }
    // Most stand as they did when they are looked at again.
    if (claimed !== order.claim) this.#standing.add(order.price, claimed - order.claim);
    order.claim = claimed;
    if (order.asked > 0) this.quote.asks(order, this.clearing.claimOf(order), this.#countedToMs);
  }

  /** Each published level is a row of its own, and so is each change between healthy and degraded. */
  #publishLevel(nowMs: number): void {
    const { published: level, frozen: degraded } = this.clearing.level;
    this.#emit({ type: 'level', level, levelSeq: ++this.levelSeq, degraded, atMs: nowMs });
  }

  #latches(quote: StandingQuote): void {
    const { total: slots, free } = this.#pods;
    this.depth.latch({ atMs: quote.atMs, slots, held: slots - free });
    this.#publishQuote(quote);
  }

  #publishQuote(quote: StandingQuote): void {
    const estimates = this.#shadows.state();
    if (estimates !== this.#estimates[0]) this.#estimates = [estimates, stateText({ estimates })];
    const prices = { ...this.quote.state(), past: this.#past.state(), ...this.clearing.state(quote.atMs) };
    const text = stateText({ ...prices, turnover: this.#turnover.state() });
    this.#state = `${text.slice(0, -1)},${this.#estimates[1].slice(1)}`;
    const { price, previousPrice, atMs, untilMs } = quote;
    const attainable = this.#turnover.attainable(this.#pods.total);
    const { all: clearRate, scarce: scarceClearRate } = this.quote.clearRate.rates(atMs);
    const window = { quoteSeq: ++this.#quoteSeq, price, previousPrice, atMs, untilMs };
    this.#emit({ type: 'quote', ...window, clearRate, scarceClearRate, attainable, state: this.#state });
  }
}

/** The state of the prices of one market. */
export interface PriceState extends QuoteState, ClearingState {
  readonly past: PastLevelsState;
  readonly turnover: TurnoverState;
  /** Absent from a state of an earlier version. */
  readonly estimates?: EstimateState;
}

/** The text to store, with six decimals: at full length most of it would be digits that mean nothing. */
export function stateText(state: Partial<PriceState>): string {
  return JSON.stringify(rounded(state));
}

/** What a stored text has of a state. */
type StoredState = QuoteState &
  Partial<ClearingState> &
  Pick<PriceState, 'turnover' | 'estimates'> & { readonly past?: PastLevelsState };

/**
 * The state in a stored text; null for none. One of the rule before (`isOfEarlierRule`) has nothing of level and accounts: the
 * level goes on from its last value. One from before locks had weights is ignored, because its arrivals, pace and
 * correction were counted otherwise.
 */
export function priceStateFrom(text: string | null): StoredState | null {
  const state = text === null ? null : JSON.parse(text);
  return state?.runs || state?.voices ? state : null;
}

/** Lists whose numbers are rounded where they are read, and that are most of a state. */
const ROUNDED: ReadonlySet<string> = new Set(['accounts', 'bins', 'lows']);

/** A copy, because `JSON.stringify` takes several times as long with a function that rounds. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) if (!ROUNDED.has(name)) copy[name] = rounded(copy[name]);
  return copy;
}
