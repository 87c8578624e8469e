/**
 * A record of all inputs and outputs of an exchange, one JSON object per line: its options, the commands, ticks and
 * latches of quotes, the random draws, and the events. Replaying the inputs gives the same levels, quotes and
 * dispatches, bit for bit: an exchange uses no time and no randomness except what it is given.
 *
 * The lines are a hash chain. Each ends with a SHA-256, in base64url: of the hash of the line before and the bytes of this
 * line without its hash. So a line cannot be changed, removed, inserted or moved unless every hash after it changes, and
 * one hash that somebody noted proves all lines up to it. Only such a hash shows that whole lines are missing at the end.
 */
import { hash } from 'node:crypto';
import type { Random } from '#base/random.ts';
import { marketTerms } from '../listing.ts';
import type { AnyCommand, ExchangeEvent } from '../ports.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

/**
 * The format of records; 1, without a chain, did not name itself, 2 had no orders with a deadline, in 3 an order that
 * counted no longer beside a better one of its account was an arrival all the same, and in 4 what is stored of accounts
 * was written with each quote, and those without money left the book in another order, which rounds sums differently.
 * In format 5 whole accounts waited for money, up to 6 the level followed the height of bids, and in 7 an order that rested
 * again counted as started at the level whatever it bid, and its start took nothing back.
 */
export const RECORD_FORMAT = 8;

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

/** How the last member of a line reads. Inside a JSON string it cannot occur, because quotes are escaped there. */
const SEAL = /,"hash":"([\w-]{43})"\}/;
const SEAL_LENGTH = 54;

/** Adds the hashes to the lines of a record. */
export class ChainWriter {
  #hash = '';

  /** The line for this JSON, an object with a member. */
  seal(json: string): string {
    this.#hash = hash('sha256', this.#hash + json, 'base64url');
    return `${json.slice(0, -1)},"hash":"${this.#hash}"}`;
  }
}

/** Checks the hashes of a record, line by line. */
export class ChainReader {
  /** The hash of the last line that was opened; empty before the first. */
  hash = '';

  /** The JSON of a line that follows from the line before; null for any other. */
  open(line: Uint8Array): string | null {
    const json = Buffer.concat([line.subarray(0, -SEAL_LENGTH), Buffer.from('}')]);
    const expected = hash('sha256', Buffer.concat([Buffer.from(this.hash), json]), 'base64url');
    if (Buffer.from(line.subarray(-SEAL_LENGTH)).toString('latin1') !== `,"hash":"${expected}"}`) return null;
    this.hash = expected;
    return json.toString();
  }
}

/** The hash in a line, unchecked; null when it has none. A line that was cut off has no hash. */
export function hashIn(line: string): string | null {
  return SEAL.exec(line)?.[1] ?? null;
}
