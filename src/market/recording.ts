/**
 * A record of everything that goes into an exchange and comes out of it, each a line of JSON: how it was opened, the
 * commands, ticks and turns of quote windows, the draws of chance, and the events. Replayed, the same inputs give the
 * same levels, quotes and dispatches, bit for bit: an exchange knows no time and no chance but what it is given.
 */
import type { Random } from '#base/random.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { Command, ExchangeEvent } from './ports.ts';

/** What an exchange was opened with, but for what a process has of its own. */
type Opening = Omit<ExchangeOptions, 'random' | 'emit'>;

/** What goes in. `at` is the time that the exchange was told. */
export type Input =
  | { readonly open: Opening }
  | { readonly at: number; readonly command: Command }
  | { readonly at: number; readonly tick: true }
  | { readonly at: number; readonly turn: true };

/** One line of a record. The draws and events of an input follow it, in their order. */
export type Line = Input | { readonly draw: number } | { readonly event: ExchangeEvent };

/** An exchange that writes down what happens to it. `write` gets each line without its end. */
export class RecordedExchange {
  readonly #exchange: Exchange;
  readonly #write: (line: Line) => void;

  constructor({ random, emit, ...opening }: ExchangeOptions, write: (line: string) => void) {
    this.#write = (line) => write(JSON.stringify(line));
    const listings = opening.listings.map(({ id, type, floor, ceiling, preview, accountShareMax }) => {
      return { id, type, floor, ceiling, preview, accountShareMax };
    });
    const open = { ...opening, listings };
    this.#write({ open });
    const drawn: Random = {
      next: () => {
        const draw = random.next();
        this.#write({ draw });
        return draw;
      },
    };
    const told = (event: ExchangeEvent) => {
      this.#write({ event });
      emit(event);
    };
    this.#exchange = new Exchange({ ...open, random: drawn, emit: told });
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

  positions(model: string, orders: readonly string[]): (number | null)[] {
    return this.#exchange.positions(model, orders);
  }
}
