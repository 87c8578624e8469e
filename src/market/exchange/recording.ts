/**
 * A record of all inputs and outputs of an exchange, one JSON object per line: its options, the commands, ticks and
 * latches of quotes, the random draws, and the events. Replaying the inputs gives the same levels, quotes and
 * dispatches, bit for bit: an exchange uses no time and no randomness except what it is given. The lines are a hash
 * chain (`record-chain.ts`).
 */
import type { Random } from '#base/random.ts';
import { marketTerms } from '../listing.ts';
import type { ExchangeEvent } from '../ports.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { AnyCommand } from './open-market.ts';
import { ChainWriter } from './record-chain.ts';

/**
 * The format of records; 1, without a chain, did not name itself, 2 had no orders with a deadline, in 3 an order that
 * counted no longer beside a better one of its account was an arrival all the same, and in 4 what is stored of accounts
 * was written with each quote, and those without money left the book in another order, which rounds sums differently. In
 * 5 whole accounts were without money.
 */
export const RECORD_FORMAT = 6;

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
 * An exchange that records its inputs and outputs; what only reads it is not recorded. `write` gets each line without a
 * line end; `after` is the last hash of the record before.
 */
export class RecordedExchange extends Exchange {
  readonly #write: (line: RecordLine) => void;

  constructor(
    { random, emit, ...opening }: ExchangeOptions,
    write: (line: string) => void,
    after: string | null = null,
  ) {
    const chain = new ChainWriter();
    const record = (line: RecordLine) => write(chain.seal(JSON.stringify(line)));
    const open = { ...opening, listings: opening.listings.map(marketTerms) };
    record({ open, format: RECORD_FORMAT, after });
    const recordedRandom: Random = {
      next: () => {
        const draw = random.next();
        record({ draw });
        return draw;
      },
    };
    const recordedEmit = (event: ExchangeEvent) => {
      record({ event });
      emit(event);
    };
    super({ ...open, random: recordedRandom, emit: recordedEmit });
    this.#write = record;
  }

  override handle(command: AnyCommand, nowMs: number): void {
    this.#write({ at: nowMs, command });
    super.handle(command, nowMs);
  }

  override tick(nowMs: number): void {
    this.#write({ at: nowMs, tick: true });
    super.tick(nowMs);
  }

  override latchQuotes(nowMs: number): void {
    this.#write({ at: nowMs, turn: true });
    super.latchQuotes(nowMs);
  }
}
