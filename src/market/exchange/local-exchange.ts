/**
 * The exchange in this process, behind its asynchronous port. Commands are handled in the next microtask, in the order
 * sent; events follow in the order they happened. No event is delivered from inside `send`, so the order service works
 * the same with an exchange in this process or in another one.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { MarketOdds } from '../estimates/odds.ts';
import type { AnyCommand, ExchangeEvent, ExchangePort } from '../ports.ts';
import type { MarketDepth } from './depth.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { RecordedExchange } from './recording.ts';
import type { MarketBook, MarketSituation } from './situation.ts';

const TICK_MS = 1000;

/** What a local exchange needs. */
export interface LocalExchangeOptions extends Omit<ExchangeOptions, 'emit' | 'nowMs'> {
  readonly clock: Clock;
  /**
   * While true, levels and quotes stand still, because what cannot be recorded must not be decided. Nothing is admitted
   * then either. Without it they always move.
   */
  readonly isHalted?: () => boolean;
  /** Receives the record of all inputs and events, for a replay; see `recording.ts`. */
  readonly record?: (line: string) => void;
  /** The last hash of the record before; null for none. */
  readonly recordAfter?: string | null;
}

/** What only reads the markets. Each view is null for a market that another gateway owns and that cannot be reached. */
export type MarketViews = Pick<LocalExchange, 'depth' | 'odds' | 'book' | 'situation'>;

/** An exchange with a command queue, an event queue, and timers that move the levels and latch the quotes. */
export class LocalExchange implements ExchangePort {
  readonly #clock: Clock;
  readonly #isHalted: () => boolean;
  readonly #exchange: Exchange;
  #commands: AnyCommand[] = [];
  #events: ExchangeEvent[] = [];
  #onEvent: ((event: ExchangeEvent) => void) | null = null;
  #scheduled = false;
  #closed = false;
  #tickedAtMs: number;
  readonly #quoteIntervalMs: number;
  #timer: Timer;
  #latchTimer: Timer;

  /** Starts ticking at once. The first levels are delivered once there is a listener. */
  constructor({ clock, isHalted = () => false, record, recordAfter = null, ...others }: LocalExchangeOptions) {
    this.#clock = clock;
    this.#isHalted = isHalted;
    this.#tickedAtMs = clock.monotonicMs();
    const emit = (event: ExchangeEvent) => void this.#events.push(event);
    const options = { ...others, emit, nowMs: clock.nowMs() };
    this.#exchange = record ? new RecordedExchange(options, record, recordAfter) : new Exchange(options);
    this.#quoteIntervalMs = options.quotes.intervalMs;
    this.#timer = this.#tickLater();
    this.#latchTimer = this.#latchLater();
  }

  /** When the levels last moved, by `monotonicMs`; a time long ago means that this process is stuck. */
  get tickedAtMs(): number {
    return this.#tickedAtMs;
  }

  send(command: AnyCommand): void {
    if (this.#closed) return;
    this.#commands.push(command);
    this.#schedule();
  }

  /** The result includes all commands sent before. */
  async positions(model: string, orders: readonly string[]): Promise<(number | null)[]> {
    this.#takeCommands();
    return this.#exchange.positions(model, orders);
  }

  /** A window late; null until two windows have begun, and for a model without a book. */
  async depth(model: string): Promise<MarketDepth | null> {
    return this.#exchange.find(model)?.depth ?? null;
  }

  /** The result includes all commands sent before. Null for a model without a market. */
  async book(model: string): Promise<MarketBook | null> {
    this.#takeCommands();
    return this.#exchange.find(model)?.book ?? null;
  }

  /** The result includes all commands sent before. Null for a model without a book. */
  async odds(model: string): Promise<MarketOdds | null> {
    this.#takeCommands();
    return this.#exchange.find(model)?.odds(this.#clock.nowMs()) ?? null;
  }

  /** The result includes all commands sent before. Null for a model without a market price, and for a preview. */
  async situation(model: string): Promise<MarketSituation | null> {
    this.#takeCommands();
    return this.#exchange.find(model)?.situation(this.#clock.nowMs()) ?? null;
  }

  /** Also delivers the events that happened before. */
  listen(onEvent: (event: ExchangeEvent) => void): void {
    this.#onEvent = onEvent;
    this.#schedule();
  }

  /** Moves the levels and counts the locks a last time, delivers what follows from that, and closes. */
  finish(): void {
    if (this.#closed) return;
    if (!this.#isHalted()) this.#exchange.tick(this.#clock.nowMs());
    this.flush();
    this.close();
  }

  /** Stops the timers. Commands and events still in the queues are dropped. */
  close(): void {
    this.#closed = true;
    this.#timer.cancel();
    this.#latchTimer.cancel();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.flush());
  }

  /**
   * Handles the commands and delivers the events that wait, until both queues are empty: commands that the listener sends
   * are handled in the same run. Not from inside the listener.
   */
  flush(): void {
    try {
      while (!this.#closed && (this.#commands.length > 0 || (this.#onEvent && this.#events.length > 0))) {
        this.#takeCommands();
        const onEvent = this.#onEvent;
        if (!onEvent) continue;
        const events = this.#events;
        this.#events = [];
        for (const event of events) onEvent(event);
      }
    } finally {
      this.#scheduled = false;
    }
  }

  #takeCommands(): void {
    const commands = this.#commands;
    this.#commands = [];
    const nowMs = this.#clock.nowMs();
    for (const command of commands) this.#exchange.handle(command, nowMs);
    if (this.#events.length > 0) this.#schedule();
  }

  #tickLater(): Timer {
    return this.#clock.after(TICK_MS, () => {
      this.#timer = this.#tickLater();
      this.#tickedAtMs = this.#clock.monotonicMs();
      this.#takeCommands();
      if (!this.#isHalted()) this.#exchange.tick(this.#clock.nowMs());
      this.#schedule();
    });
  }

  /** Fires exactly at the boundary; otherwise a lock right after it would still get the old quote. */
  #latchLater(): Timer {
    const delayMs = this.#quoteIntervalMs - (this.#clock.nowMs() % this.#quoteIntervalMs);
    return this.#clock.after(delayMs, () => {
      this.#latchTimer = this.#latchLater();
      this.#takeCommands();
      if (!this.#isHalted()) this.#exchange.latchQuotes(this.#clock.nowMs());
      this.#schedule();
    });
  }
}
