/**
 * A record of all inputs and outputs of an exchange, one JSON object per line: its options, the commands, ticks and
 * latches of quotes, the random draws, and the events. Replaying the inputs gives the same levels, quotes and
 * dispatches, bit for bit: an exchange uses no time and no randomness except what it is given. The lines are a hash
 * chain (`record-chain.ts`).
 */
import type { Random } from '#base/random.ts';
import type { MarketBook } from '../book/book-view.ts';
import type { MarketOdds } from '../estimates/odds.ts';
import { marketTerms } from '../listing.ts';
import type { ExchangeEvent } from '../ports.ts';
import type { MarketDepth } from './depth.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { AnyCommand } from './open-market.ts';
import { ChainWriter } from './record-chain.ts';
import type { MarketSituation } from './situation.ts';

/**
 * The format of records; 1, without a chain, did not name itself, 2 had no orders with a deadline, in 3 an order that
 * counted no longer beside a better one of its account was an arrival all the same, and in 4 what is stored of accounts
 * was written with each quote, and those without money left the book in another order, which rounds sums differently.
 */
export const RECORD_FORMAT = 5;

/** The options of an exchange, without those that belong to a process. */
type Opening = Omit<ExchangeOptions, 'random' | 'emit'>;

/** The first line. `after` is the last hash of the record before, null for none. */
export interface Opened {
  readonly open: Opening;
  readonly format: number;
  readonly after: string | null;
}

/** An input. `at` is the time passed to the exchange. */
export type RecordedInput =
  | Opened
  | { readonly at: number; readonly command: AnyCommand }
  | { readonly at: number; readonly tick: true }
  | { readonly at: number; readonly turn: true };

/** One line of a record. The draws and events of an input follow it in order. */
export type RecordLine = RecordedInput | { readonly draw: number } | { readonly event: ExchangeEvent };

/**
 * An exchange that records its inputs and outputs. `write` gets each line without a line end; `after` is the last hash of
 * the record before.
 */
export class RecordedExchange {
  readonly #exchange: Exchange;
  readonly #write: (line: RecordLine) => void;

  constructor(
    { random, emit, ...opening }: ExchangeOptions,
    write: (line: string) => void,
    after: string | null = null,
  ) {
    const chain = new ChainWriter();
    this.#write = (line) => write(chain.seal(JSON.stringify(line)));
    const open = { ...opening, listings: opening.listings.map(marketTerms) };
    this.#write({ open, format: RECORD_FORMAT, after });
    const recordedRandom: Random = {
      next: () => {
        const draw = random.next();
        this.#write({ draw });
        return draw;
      },
    };
    const recordedEmit = (event: ExchangeEvent) => {
      this.#write({ event });
      emit(event);
    };
    this.#exchange = new Exchange({ ...open, random: recordedRandom, emit: recordedEmit });
  }

  handle(command: AnyCommand, nowMs: number): void {
    this.#write({ at: nowMs, command });
    this.#exchange.handle(command, nowMs);
  }

  tick(nowMs: number): void {
    this.#write({ at: nowMs, tick: true });
    this.#exchange.tick(nowMs);
  }

  latchQuotes(nowMs: number): void {
    this.#write({ at: nowMs, turn: true });
    this.#exchange.latchQuotes(nowMs);
  }

  positions(model: string, orders: readonly string[]): (number | null)[] {
    return this.#exchange.positions(model, orders);
  }

  depth(model: string): MarketDepth | null {
    return this.#exchange.depth(model);
  }

  book(model: string): MarketBook | null {
    return this.#exchange.book(model);
  }

  odds(model: string, nowMs: number): MarketOdds | null {
    return this.#exchange.odds(model, nowMs);
  }

  /** Not recorded, because it changes nothing. */
  situation(model: string, nowMs: number): MarketSituation | null {
    return this.#exchange.situation(model, nowMs);
  }
}
