/**
 * The exchange in this process, behind its asynchronous port. Commands are taken in the order they were sent, in the
 * next microtask; events follow in the order they happened. Nothing is ever told from inside `send`, so the desk reads
 * the same whether its exchange lives here or elsewhere.
 */
import type { Clock, Timer } from '#base/clock.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { Command, ExchangeEvent, ExchangePort } from './ports.ts';
import { RecordedExchange } from './recording.ts';

const TICK_MS = 1000;

/** What a local exchange is opened with. */
export interface LocalExchangeOptions extends Omit<ExchangeOptions, 'emit' | 'nowMs'> {
  readonly clock: Clock;
  /**
   * While true, levels and quotes stand still: what cannot be written down is not decided. Nothing is admitted then
   * either. Left out, they always move.
   */
  readonly isHalted?: () => boolean;
  /** Gets a record of everything, for a replay; see `recording.ts`. */
  readonly record?: (line: string) => void;
}

/** An exchange with a queue before it, a queue behind it, and timers that move the levels and turn the quotes. */
export class LocalExchange implements ExchangePort {
  readonly #clock: Clock;
  readonly #isHalted: () => boolean;
  readonly #exchange: Exchange | RecordedExchange;
  #commands: Command[] = [];
  #events: ExchangeEvent[] = [];
  #onEvent: ((event: ExchangeEvent) => void) | null = null;
  #scheduled = false;
  #closed = false;
  #tickedAtMs: number;
  readonly #quoteIntervalMs: number;
  #timer: Timer;
  #windowTimer: Timer;

  /** Starts ticking at once. The first levels wait for the listener. */
  constructor({ clock, isHalted = () => false, record, ...others }: LocalExchangeOptions) {
    this.#clock = clock;
    this.#isHalted = isHalted;
    this.#tickedAtMs = clock.nowMs();
    const emit = (event: ExchangeEvent) => void this.#events.push(event);
    const options = { ...others, emit, nowMs: clock.nowMs() };
    this.#exchange = record ? new RecordedExchange(options, record) : new Exchange(options);
    this.#quoteIntervalMs = options.quotes.intervalMs;
    this.#timer = this.#tickLater();
    this.#windowTimer = this.#turnLater();
  }

  /** When the levels last moved on; long ago means that this process is stuck. */
  get tickedAtMs(): number {
    return this.#tickedAtMs;
  }

  send(command: Command): void {
    if (this.#closed) return;
    this.#commands.push(command);
    this.#schedule();
  }

  /** Sees everything that was sent before. */
  async positions(model: string, orders: readonly string[]): Promise<(number | null)[]> {
    this.#takeCommands();
    return this.#exchange.positions(model, orders);
  }

  /** What had happened before is told too. */
  listen(onEvent: (event: ExchangeEvent) => void): void {
    this.#onEvent = onEvent;
    this.#schedule();
  }

  /** Stops the ticks; what was sent and not yet taken, and what was not yet told, is dropped. */
  close(): void {
    this.#closed = true;
    this.#timer.cancel();
    this.#windowTimer.cancel();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#run());
  }

  /** Until nothing is left: what the listener sends while it is told is taken in the same run. */
  #run(): void {
    try {
      while (!this.#closed && (this.#commands.length > 0 || (this.#onEvent && this.#events.length > 0))) {
        this.#takeCommands();
        this.#tellEvents();
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

  #tellEvents(): void {
    const onEvent = this.#onEvent;
    if (!onEvent) return;
    const events = this.#events;
    this.#events = [];
    for (const event of events) onEvent(event);
  }

  #tickLater(): Timer {
    return this.#clock.after(TICK_MS, () => {
      this.#timer = this.#tickLater();
      this.#tickedAtMs = this.#clock.nowMs();
      this.#takeCommands();
      if (!this.#isHalted()) this.#exchange.tick(this.#clock.nowMs());
      this.#schedule();
    });
  }

  /** At the boundary itself, or a lock that comes right after it would still be told the old quote. */
  #turnLater(): Timer {
    const delayMs = this.#quoteIntervalMs - (this.#clock.nowMs() % this.#quoteIntervalMs);
    return this.#clock.after(delayMs, () => {
      this.#windowTimer = this.#turnLater();
      this.#takeCommands();
      if (!this.#isHalted()) this.#exchange.turnWindows(this.#clock.nowMs());
      this.#schedule();
    });
  }
}
