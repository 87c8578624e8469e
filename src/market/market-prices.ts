/**
 * The prices of a market listing: its book, the level (`level.ts`) and the quote (`quote.ts`), with their numbered rows. Level and quote depend
 * on how the market stood over time, so the time up to now is counted (`count`) before anything changes book or slots.
 */

import type { Random } from '#base/random.ts';
import { Clearing } from './clearing.ts';
import type { MarketTerms } from './listing.ts';
import type { MarketOrder } from './market-order.ts';
import type { PodSlots } from './pod-slots.ts';
import type { Capacity, ExchangeEvent, LevelRow, RecoveredQuote } from './ports.ts';
import { PriceQueue } from './price-queue.ts';
import { Quote, type QuoteSettings, type QuoteState } from './quote.ts';
import type { StandingQuote } from './quote-windows.ts';

/**
 * An order that holds its slot for less than this claims the corresponding part of a slot in the starts and arrivals
 * behind a quote. If it counted in full, a flood of one-token orders would raise the quote at almost no cost.
 */
const WHOLE_CLAIM_MS = 1000;

/** An event before its market numbers it. */
export type Unnumbered = ExchangeEvent extends infer Event
  ? Event extends ExchangeEvent
    ? Omit<Event, 'model' | 'seq'>
    : never
  : never;

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
  readonly #pods: PodSlots;
  readonly #emit: (event: Unnumbered) => void;
  #levelSeq: number;
  #quoteSeq: number;

  constructor(options: PriceOptions, pods: PodSlots, emit: (event: Unnumbered) => void) {
    const { listing, levelTimeConstantMs, recovered, recoveredQuote, nowMs } = options;
    const state = stateFrom(recoveredQuote?.state ?? null);
    this.#pods = pods;
    this.#emit = emit;
    this.#levelSeq = recovered?.levelSeq ?? 0;
    this.#quoteSeq = recoveredQuote?.quoteSeq ?? 0;
    this.queue = new PriceQueue(listing.accountShareMax, listing.reserve);
    this.clearing = new Clearing({
      settings: { floor: listing.floor, ceiling: listing.ceiling, timeConstantMs: levelTimeConstantMs },
      book: this.queue.book,
      start: recovered?.level ?? listing.floor,
      pace: state?.pace ?? null,
      nowMs,
    });
    this.quote = this.#createQuote(options, state);
  }

  /** The number of the level row in force. */
  get levelSeq(): number {
    return this.#levelSeq;
  }

  /** Emits the first level and the first quote. */
  open(nowMs: number): void {
    this.#publishLevel(nowMs);
    this.#publishQuote(this.quote.standing);
  }

  /** Counts the time up to now, during which nothing changed. */
  count(nowMs: number): void {
    this.clearing.level.count(nowMs);
    this.quote.count(nowMs);
  }

  /** Moves the level and emits the lock outcomes since the last tick. */
  tick(nowMs: number): void {
    this.count(nowMs);
    if (this.clearing.level.tick(nowMs)) this.#publishLevel(nowMs);
    for (const minute of this.quote.takeChangedMinutes()) this.#emit({ type: 'locks', ...minute });
  }

  /** Sets what one pod can run now. */
  capacity({ pod, slots, healthy }: Capacity, nowMs: number): void {
    this.#pods.set(pod, slots, healthy);
    if (this.clearing.setSlots(this.#pods.total, nowMs)) this.#publishLevel(nowMs);
  }

  /** An order entered the book. */
  joins(order: MarketOrder): void {
    this.clearing.waits(order);
  }

  starts(order: MarketOrder, nowMs: number): void {
    this.clearing.starts(order, nowMs);
    this.quote.starts(order, nowMs);
  }

  /** An order gave its slot back; `refused` when it never started. */
  ends(order: MarketOrder, refused: boolean, nowMs: number): void {
    const claimed = refused ? 0 : claimOf(nowMs - order.startedAtMs);
    this.clearing.ends(order, { claimed, refused }, nowMs);
    this.quote.ends(order, claimed);
    if (refused) this.quote.refused(order);
  }

  /** Each published level is a row of its own, and so is each change between healthy and degraded. */
  #publishLevel(nowMs: number): void {
    const { published, frozen } = this.clearing.level;
    this.#levelSeq++;
    this.#emit({ type: 'level', level: published, levelSeq: this.#levelSeq, degraded: frozen, atMs: nowMs });
  }

  #publishQuote({ price, previousPrice, atMs, untilMs }: StandingQuote): void {
    this.#quoteSeq++;
    const clearRate = this.quote.clearRate(atMs);
    const state = JSON.stringify(this.quote.state(this.clearing.pace()));
    this.#emit({ type: 'quote', quoteSeq: this.#quoteSeq, price, previousPrice, atMs, untilMs, clearRate, state });
  }

  #createQuote({ listing, quotes, random, recoveredQuote, nowMs }: PriceOptions, state: QuoteState | null): Quote {
    const { book } = this.queue;
    const { level } = this.clearing;
    const { floor, ceiling } = listing;
    return new Quote(
      {
        settings: quotes,
        floor,
        ceiling,
        random,
        market: {
          ahead: (price) => book.countAtOrBetter(price),
          best: () => book.best()?.price ?? null,
          freeSlots: () => this.#pods.free,
          claimRate: (atMs) => this.clearing.claimRate(atMs),
          frozen: () => level.frozen,
        },
        latched: (quote) => this.#publishQuote(quote),
        recovered: { state, lockMinutes: recoveredQuote?.lockMinutes ?? [] },
      },
      recoveredQuote?.price ?? level.published,
      nowMs,
    );
  }
}

/** The part of a slot that an order claimed, 0 to 1. After the clock stepped back it is unknown and counts as 1. */
function claimOf(heldMs: number): number {
  return heldMs < 0 ? 1 : Math.min(1, heldMs / WHOLE_CLAIM_MS);
}

/**
 * The state a quote continues from; null for none. A state without a pace is ignored: it is from before quotes allowed
 * for chance. Its correction allows for chance already, so for a day a small market would allow for it twice.
 */
function stateFrom(text: string | null): QuoteState | null {
  const state = text === null ? null : (JSON.parse(text) as Partial<QuoteState>);
  return state?.pace ? (state as QuoteState) : null;
}
