/**
 * The prices of a market listing: its book, the level (`level.ts`) and the quote (`quote.ts`), with their numbered rows. Level and quote depend
 * on how the market stood over time, so the time up to now is counted (`count`) before anything changes book or slots.
 */
import type { PriceNano } from '#base/money.ts';
import type { Random } from '#base/random.ts';
import { type ClaimState, Claims, claimOf } from '../book/claims.ts';
import { CountableBids } from '../book/countable-bids.ts';
import { CREDIBLE_MS, CredibleBids } from '../book/credible-bids.ts';
import { type MarketOrder, slotsHeldMax } from '../book/market-order.ts';
import type { PodSlots } from '../book/pod-slots.ts';
import { PriceQueue } from '../book/price-queue.ts';
import { type VoiceState, Voices } from '../book/voices.ts';
import { YoungBids } from '../book/young-bids.ts';
import { type MarketOdds, oddsOf } from '../estimates/odds.ts';
import { OrderFlow } from '../estimates/order-flow.ts';
import { type EstimateState, ShadowOrders } from '../estimates/shadow-orders.ts';
import { CEILING_MAX, type MarketTerms } from '../listing.ts';
import type { Capacity, LevelRow, RecoveredQuote, Rest, Unnumbered, Withdraw } from '../ports.ts';
import { Clearing, type ClearingState } from '../price/clearing.ts';
import { DemandCurve } from '../price/demand-curve.ts';
import { Quote, type QuoteSettings, type QuoteState } from '../price/quote.ts';
import type { StandingQuote } from '../price/quote-windows.ts';
import { SlotTurnover, type TurnoverState } from '../price/slot-turnover.ts';
import { Depth } from './depth.ts';
import type { MarketSituation } from './situation.ts';

/** What the prices of one market start from. */
export interface PriceOptions {
  readonly listing: MarketTerms;
  readonly levelTimeConstantMs: number;
  readonly quotes: QuoteSettings;
  /** Draws the instants of quote readings. */
  readonly random: Random;
  /** The newest level row from before a restart; null for a market that never traded, which starts at its floor. */
  readonly recovered: LevelRow | null;
  /** The newest quote from before a restart; null for none. */
  readonly recoveredQuote: RecoveredQuote | null;
  readonly nowMs: number;
}

/** Book, level and quote of one market. */
export class MarketPrices {
  readonly queue: PriceQueue;
  readonly clearing: Clearing;
  readonly quote: Quote;
  readonly depth: Depth;
  /** The claims of the waiting orders that count for the quote, by bid. */
  readonly #waiting = new DemandCurve(CEILING_MAX);
  readonly #flow: OrderFlow;
  readonly #shadows: ShadowOrders;
  readonly #credible: CredibleBids;
  readonly #claims: Claims;
  readonly #voices: Voices;
  readonly countable: CountableBids;
  readonly #turnover: SlotTurnover;
  readonly #pods: PodSlots;
  /** Those in force; level and quote read them when they count. */
  readonly #terms: { -readonly [Name in keyof MarketTerms]: MarketTerms[Name] };
  readonly #emit: (event: Unnumbered) => void;
  /** The number of the level row in force. */
  levelSeq: number;
  #quoteSeq: number;
  readonly #states = new PriceStateTexts();
  /** The state in the last row of a quote; empty before the first. */
  #state = '';
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
    this.clearing = new Clearing({
      settings: { bounds: this.#terms, timeConstantMs: levelTimeConstantMs },
      start: recovered?.level ?? listing.floor,
      ...{ pods, turnover: this.#turnover, state, nowMs },
    });
    this.depth = new Depth(listing.ceiling);
    this.#flow = new OrderFlow(nowMs);
    this.#shadows = new ShadowOrders(nowMs, state?.estimates);
    this.#claims = new Claims(state?.claims);
    this.#voices = new Voices(nowMs, state?.voices);
    const young = new YoungBids<MarketOrder>(CREDIBLE_MS);
    this.countable = new CountableBids({
      voice: (account) => this.#voices.voice(account, this.#countedToMs) / this.#claims.expected(account),
      nowMs: () => this.#countedToMs,
      heldMax: () => slotsHeldMax(this.#terms.accountShareMax, pods.total),
      firstYoung: () => young.firstYoung,
      counts: (order, price) => this.#counts(order, price),
      // Otherwise a crowd of one account, each bid better than the last, would all have arrived, though it speaks for one.
      displaced: (order) => this.quote.goesAway(order),
    });
    this.#credible = new CredibleBids(young, this.countable);
    this.quote = this.#createQuote(options, state);
  }

  /** What another exchange goes on from. */
  situation(): Pick<MarketSituation, 'level' | 'quote' | 'arrivals' | 'turnover'> {
    return {
      level: this.clearing.level.published,
      quote: { price: this.quote.standing.price, state: this.#state },
      arrivals: this.quote.arrivals,
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

  /** Emits the first level and the first quote. */
  open(nowMs: number): void {
    this.#publishLevel(nowMs);
    this.#publishQuote(this.quote.standing);
  }

  /** Counts the time up to now, during which nothing changed but the age of bids. */
  count(nowMs: number): void {
    for (let dueMs = this.#credible.dueBy(nowMs); dueMs !== null; dueMs = this.#credible.dueBy(nowMs)) {
      // What a clock that stepped back made late is not counted twice.
      this.#countTo(Math.min(nowMs, Math.max(dueMs, this.#countedToMs)));
      this.#credible.advanceTo(dueMs);
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
    this.countable.slotsChanged();
    if (this.clearing.level.bound()) this.#publishLevel(nowMs);
  }

  /** Sets what one pod can run now. */
  capacity({ pod, slots, healthy }: Capacity, nowMs: number): void {
    this.#pods.set(pod, slots, healthy);
    this.countable.slotsChanged();
    if (this.clearing.slotsChanged(nowMs)) this.#publishLevel(nowMs);
  }

  /** An order came that may run now, whether it enters the book or starts at once. */
  arrives(order: MarketOrder, rest: Rest, when: { readonly isNew: boolean; readonly nowMs: number }): void {
    this.quote.rests(order, rest, when);
    if (when.isNew) this.clearing.arrives(order, when.nowMs);
    if (!when.isNew || order.house) return;
    this.#flow.arrives(order.price);
    this.#shadows.arrives(order);
  }

  /** An order entered the book. `known`: it had rested or run before, so its bid counts at once. */
  joins(order: MarketOrder, known: boolean, nowMs: number): void {
    if (order.house) return;
    // That of an arrival is set when it first counts, or starts.
    if (order.arrival !== 'expected') order.claim = this.#claims.expected(order.account);
    this.clearing.waits(order, known, nowMs);
    this.#credible.joins(order, known, nowMs);
  }

  /** A new order starts without entering the book. */
  passes(order: MarketOrder, nowMs: number): void {
    if (!order.house) this.#credible.passes(nowMs);
  }

  /** A waiting order has a new price, and bid `before` until now. */
  reprices(order: MarketOrder, before: PriceNano, nowMs: number): void {
    if (order.house) return;
    this.#credible.reprices(order, before, nowMs);
    if (order.price > before) this.clearing.waits(order, false, nowMs);
  }

  /** An order left the book. */
  leaves(order: MarketOrder): void {
    if (!order.house) this.#credible.leaves(order);
  }

  /**
   * An order was withdrawn, or `expired`: its bid was not served, so it says nothing about those to come. One that waits
   * for money did not give up either.
   */
  withdraws(order: MarketOrder, { expired, waitsForMoney }: Withdraw, nowMs: number): void {
    if (order.state === 'waiting' && !order.house && !waitsForMoney) {
      this.#flow.leaves(order.price);
      this.clearing.leaves(order, nowMs);
    }
    if (expired) this.quote.expires(order, nowMs);
    else this.quote.leaves(order);
  }

  /** An order was given a slot. */
  starts(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    if (order.arrival === 'expected') order.claim = this.#claims.expected(order.account);
    this.#voices.claimed(order.account, order.claim, nowMs);
    this.countable.voiceChanged(order.account);
    this.#turnover.starts();
    this.#shadows.starts(order.price, order.seq);
    this.clearing.starts(order, nowMs);
    this.quote.starts(order, nowMs);
  }

  /** An order holds a slot that it was given by an earlier exchange, in whose pace and voices its start has counted. */
  holds(order: MarketOrder, nowMs: number): void {
    if (order.house) return;
    order.claim = this.#claims.expected(order.account);
    this.#turnover.starts();
    this.clearing.holds(order, nowMs);
  }

  /** An order gave its slot back; `refused` when it never started. `countable.heldChanged` is to follow, with one slot less. */
  ends(order: MarketOrder, refused: boolean, nowMs: number): void {
    if (order.house) return;
    const heldMs = refused ? 0 : nowMs - order.sinceMs;
    const claimed = refused ? 0 : claimOf(heldMs);
    if (!refused) this.#claims.learn(order.account, claimed);
    this.#voices.claimed(order.account, claimed - order.claim, nowMs);
    this.#turnover.ends(heldMs);
    if (!refused) this.#flow.ends();
    this.clearing.ends(order, { claimed, heldMs: refused ? null : heldMs }, nowMs);
    this.quote.ends(order, claimed);
    if (refused) this.quote.refused(order);
  }

  #counts(order: MarketOrder, price: PriceNano | null): void {
    if (price === null) {
      this.#waiting.remove(order.credible ?? 0, order.claim);
      this.depth.remove(order.account, order.credible ?? 0);
      return;
    }
    if (order.arrival === 'expected') order.claim = this.#claims.expected(order.account);
    this.#waiting.add(price, order.claim);
    this.depth.add(order.account, price);
    this.quote.counts(order, price, this.#countedToMs);
  }

  /** Each published level is a row of its own, and so is each change between healthy and degraded. */
  #publishLevel(nowMs: number): void {
    const { published: level, frozen: degraded } = this.clearing.level;
    this.#emit({ type: 'level', level, levelSeq: ++this.levelSeq, degraded, atMs: nowMs });
  }

  #publishQuote(quote: StandingQuote): void {
    this.#state = this.#states.text({
      ...this.quote.state(),
      ...this.clearing.state(quote.atMs),
      claims: this.#claims.state(),
      voices: this.#voices.state(quote.atMs),
      turnover: this.#turnover.state(),
      estimates: this.#shadows.state(),
    });
    const { price, previousPrice, atMs, untilMs } = quote;
    const attainable = this.#turnover.attainable(this.#pods.total);
    const { all: clearRate, scarce: scarceClearRate } = this.quote.clearRate.rates(atMs);
    const window = { quoteSeq: ++this.#quoteSeq, price, previousPrice, atMs, untilMs };
    this.#emit({ type: 'quote', ...window, clearRate, scarceClearRate, attainable, state: this.#state });
  }

  #createQuote({ quotes, random, recoveredQuote, nowMs }: PriceOptions, state: PriceState | null): Quote {
    const { level } = this.clearing;
    return new Quote(
      {
        settings: quotes,
        bounds: this.#terms,
        random,
        market: {
          ahead: (price) => this.#waiting.atOrBetter(price),
          best: () => this.#waiting.priceAt(0),
          freeSlots: () => this.#pods.free,
          claimRate: (atMs) => this.clearing.claimRate(atMs),
          most: (atMs) => this.clearing.quoteMax(atMs),
          frozen: () => level.frozen,
          weigh: (account, atMs) => this.#voices.weigh(account, atMs),
          weightOf: (account, atMs) => this.#voices.weightOf(account, atMs),
        },
        latched: (quote) => {
          const { total: slots, free } = this.#pods;
          this.depth.latch({ atMs: quote.atMs, slots, held: slots - free });
          this.#publishQuote(quote);
        },
        recovered: { state, lockMinutes: recoveredQuote?.lockMinutes ?? [] },
      },
      recoveredQuote?.price ?? level.published,
      nowMs,
    );
  }
}

/** The state of the prices of one market. */
export interface PriceState extends QuoteState, Partial<ClearingState> {
  readonly claims: ClaimState;
  readonly voices: VoiceState;
  readonly turnover: TurnoverState;
  /** Absent from a state of an earlier version. */
  readonly estimates?: EstimateState;
}

/**
 * The stored texts of one market. What is known of accounts is most of a text, and the same object while nothing has come
 * of them: then what was written of it is used again.
 */
export class PriceStateTexts {
  #accounts: Pick<PriceState, 'claims' | 'voices'> | null = null;
  #accountsText = '';

  text({ claims, voices, ...market }: PriceState): string {
    if (this.#accounts?.claims !== claims || this.#accounts.voices !== voices) {
      this.#accounts = { claims, voices };
      this.#accountsText = membersOf(this.#accounts);
    }
    return `{${membersOf(market)},${this.#accountsText}}`;
  }
}

/** The members of an object as JSON, with six decimals: at full length most of it would be digits that mean nothing. */
function membersOf(object: object): string {
  return JSON.stringify(rounded(object)).slice(1, -1);
}

/**
 * The state in a stored text; null for none. One without voices is from before locks had weights. It is ignored: its
 * arrivals, pace and correction were counted otherwise.
 */
export function priceStateFrom(text: string | null): PriceState | null {
  const state = text === null ? null : (JSON.parse(text) as Partial<PriceState>);
  return state?.voices ? (state as PriceState) : null;
}

/** A copy, because `JSON.stringify` takes several times as long with a function that rounds. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]));
}
