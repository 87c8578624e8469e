/** The rows that one market publishes: each level and each quote, numbered, and the minutes in which locks ended. */
import type { PriceNano } from '#base/money.ts';
import type { LockMinute } from '../ports.ts';
import type { ClearRates } from '../price/clear-rate.ts';
import { type PriceState, PriceStateTexts } from '../price/price-state.ts';
import type { StandingQuote } from '../price/quote-windows.ts';
import type { Unnumbered } from './open-market.ts';

/** What a row of a quote says besides its price. */
export interface QuoteFacts {
  readonly rates: ClearRates;
  readonly attainable: boolean | null;
  /** What a restart goes on from. */
  readonly state: PriceState;
}

/** Numbers rows and emits them. */
export class PriceRows {
  readonly #emit: (event: Unnumbered) => void;
  #levelSeq: number;
  #quoteSeq: number;
  readonly #states = new PriceStateTexts();
  #state = '';

  /** Goes on after the last row of each. */
  constructor(last: { readonly levelSeq: number; readonly quoteSeq: number }, emit: (event: Unnumbered) => void) {
    this.#levelSeq = last.levelSeq;
    this.#quoteSeq = last.quoteSeq;
    this.#emit = emit;
  }

  /** The number of the level in force. */
  get levelSeq(): number {
    return this.#levelSeq;
  }

  /** The state in the last row of a quote; empty before the first. */
  get state(): string {
    return this.#state;
  }

  /** Each published level is a row of its own, and so is each change between healthy and degraded. */
  level({ published, frozen }: { readonly published: PriceNano; readonly frozen: boolean }, nowMs: number): void {
    this.#levelSeq++;
    this.#emit({ type: 'level', level: published, levelSeq: this.#levelSeq, degraded: frozen, atMs: nowMs });
  }

  /** The minutes of lock outcomes that changed. */
  locks(minutes: readonly LockMinute[]): void {
    for (const minute of minutes) this.#emit({ type: 'locks', ...minute });
  }

  /** The quote of a window that begins. */
  quote({ price, previousPrice, atMs, untilMs }: StandingQuote, { rates, attainable, state }: QuoteFacts): void {
    this.#quoteSeq++;
    this.#state = this.#states.text(state);
    const { all: clearRate, scarce: scarceClearRate } = rates;
    const window = { quoteSeq: this.#quoteSeq, price, previousPrice, atMs, untilMs };
    this.#emit({ type: 'quote', ...window, clearRate, scarceClearRate, attainable, state: this.#state });
  }
}
