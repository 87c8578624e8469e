/**
 * A record of everything that goes into an exchange: commands, ticks, the turns of quote windows, and the draws of
 * chance, each a line of JSON. Replayed, it gives the same levels, quotes and dispatches, bit for bit: an exchange knows
 * no time and no chance but what it is given. Listings are not in it; they are the configuration of the day.
 */
import type { Random } from '#base/random.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { Listing } from './listing.ts';
import type { Command, ExchangeEvent } from './ports.ts';

/** What an exchange was opened with, but for what a process has of its own. */
type Opening = Omit<ExchangeOptions, 'listings' | 'random' | 'emit'>;

/** One line of a record. */
type Line =
  | { readonly open: Opening }
  | { readonly draw: number }
  | { readonly at: number; readonly command: Command }
  | { readonly at: number; readonly tick: true }
  | { readonly at: number; readonly turn: true };

/** An exchange that writes down what it is given. `write` gets each line without its end. */
export class RecordedExchange {
  readonly #exchange: Exchange;
  readonly #write: (line: Line) => void;

  constructor({ listings, random, emit, ...open }: ExchangeOptions, write: (line: string) => void) {
    this.#write = (line) => write(JSON.stringify(line));
    this.#write({ open });
    const drawn: Random = {
      next: () => {
        const draw = random.next();
        this.#write({ draw });
        return draw;
      },
    };
    this.#exchange = new Exchange({ ...open, listings, random: drawn, emit });
  }

  handle(command: Command, nowMs: number): void {
    this.#write({ at: nowMs, command });
    this.#exchange.handle(command, nowMs);
  }

  tick(nowMs: number): void {
    this.#write({ at: nowMs, tick: true });
    this.#exchange.tick(nowMs);
  }

  turnWindows(nowMs: number): void {
    this.#write({ at: nowMs, turn: true });
    this.#exchange.turnWindows(nowMs);
  }
}

/** Gives a record to a new exchange. Throws Error when the lines are not a record, or one of other listings. */
export function replay(
  lines: Iterable<string>,
  { listings, emit }: { listings: readonly Listing[]; emit: (event: ExchangeEvent) => void },
): void {
  const [first, ...record] = Array.from(lines, (line) => JSON.parse(line) as Line);
  if (!first || !('open' in first)) throw new Error('This is no record of an exchange.');
  const draws = record.filter((line) => 'draw' in line).map(({ draw }) => draw);
  let drawn = 0;
  const random: Random = {
    next() {
      const draw = draws[drawn++];
      if (draw === undefined) throw new Error('The record ends where the exchange goes on.');
      return draw;
    },
  };
  const exchange = new Exchange({ ...first.open, listings, random, emit });
  for (const line of record) {
    if ('command' in line) exchange.handle(line.command, line.at);
    else if ('tick' in line) exchange.tick(line.at);
    else if ('turn' in line) exchange.turnWindows(line.at);
  }
}
