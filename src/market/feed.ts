/**
 * Carries levels and quotes outward, to any number of listeners. It combines and never computes: a frame is rendered
 * once, however many listen, and a market to which nobody listens costs nothing. What a listener missed is told by the
 * whole of the newest, never by a queue.
 */
import assert from 'node:assert';
import { concat, EMPTY, map, Observable, of, repeat, Subject, type Subscription, startWith, switchMap } from 'rxjs';
import type { Clock } from '#base/clock.ts';
import { FanOut, type FrameListener } from './fan-out.ts';
import type { MarketSnapshot, MarketView, QuoteSnapshot } from './ports.ts';

/** How the feed writes what it carries. */
export interface FrameWriter {
  level(snapshot: MarketSnapshot): string;
  levels(snapshots: readonly MarketSnapshot[]): string;
  quote(snapshot: QuoteSnapshot): string;
}

/** What a feed is made of. */
export interface FeedParts {
  readonly clock: Clock;
  /** The markets and previews, in the configured order. */
  readonly models: readonly string[];
  readonly market: MarketView;
  readonly write: FrameWriter;
}

/** Who listens. `frame` gets one frame or several. `ended` comes at most once, last, when the feed closes. */
export interface FeedListener extends FrameListener {
  ended(): void;
}

/** One stream of frames. */
export interface Channel {
  /** Everything that a listener who knows nothing, or has missed something, must be told now. */
  whole(): string;
  /**
   * Tells the whole at once, then every change soon, and the whole again when nothing changed for 15 s. Gives a way out.
   */
  follow(listener: FeedListener): () => void;
}

const KEEPALIVE_MS = 15_000;

/** The streams of every market. Tell it of each change once the market's view shows it. */
export class MarketFeed {
  readonly #levels = new Map<string, SharedChannel>();
  readonly #quotes = new Map<string, SharedChannel>();
  readonly #all: SharedChannel;
  readonly #parts: FeedParts;

  constructor(parts: FeedParts) {
    const { clock, models, market, write } = parts;
    this.#parts = parts;
    for (const model of models) {
      const level = () => write.level(present(market.current(model), model));
      const quote = () => write.quote(present(market.quote(model), model));
      this.#levels.set(model, new SharedChannel(clock, level));
      this.#quotes.set(model, new SharedChannel(clock, quote));
    }
    const snapshots = () => models.map((model) => present(market.current(model), model));
    this.#all = new SharedChannel(clock, () => write.levels(snapshots()));
  }

  /** The level of one market. */
  level(model: string): Channel {
    return present(this.#levels.get(model), model);
  }

  /** The levels of all markets: the whole is every market, a change is the one that moved. */
  get levels(): Channel {
    return this.#all;
  }

  /** The quote of one market. */
  quote(model: string): Channel {
    return present(this.#quotes.get(model), model);
  }

  levelMoved(model: string): void {
    const { market, write } = this.#parts;
    this.#levels.get(model)?.changed();
    this.#all.changed(() => write.levels([present(market.current(model), model)]));
  }

  quoteLatched(model: string): void {
    this.#quotes.get(model)?.changed();
  }

  /** Ends every stream. */
  close(): void {
    for (const channel of [...this.#levels.values(), ...this.#quotes.values(), this.#all]) channel.close();
  }
}

/** Frames shared by all listeners of one stream. */
class SharedChannel implements Channel {
  readonly #render: () => string;
  /** The whole as it was last rendered; null since a change. */
  #rendered: string | null = null;
  readonly #changes = new Subject<() => string>();
  readonly #frames: Observable<string>;
  readonly #fanOut = new FanOut();
  /** Everyone who listens, and the way out of the fan-out. */
  readonly #leave = new Map<FeedListener, () => void>();
  /** While anybody listens. */
  #subscription: Subscription | null = null;
  #closed = false;

  constructor(clock: Clock, render: () => string) {
    this.#render = render;
    const keepalive = after(clock, KEEPALIVE_MS).pipe(
      map(() => this.whole()),
      repeat(),
    );
    this.#frames = this.#changes.pipe(
      map((frame) => of(frame())),
      startWith(EMPTY),
      switchMap((changed) => concat(changed, keepalive)),
    );
  }

  whole(): string {
    this.#rendered ??= this.#render();
    return this.#rendered;
  }

  changed(frame: () => string = () => this.whole()): void {
    this.#rendered = null;
    if (this.#changes.observed) this.#changes.next(frame);
  }

  follow(listener: FeedListener): () => void {
    if (this.#closed) {
      listener.ended();
      return () => {};
    }
    const leave = this.#fanOut.join(listener);
    this.#leave.set(listener, leave);
    this.#subscription ??= this.#frames.subscribe((text) => this.#fanOut.tell(text));
    listener.frame(this.whole());
    return () => {
      leave();
      this.#leave.delete(listener);
      if (this.#leave.size === 0) this.#stop();
    };
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    for (const [listener, leave] of this.#leave) {
      leave();
      listener.ended();
    }
    this.#leave.clear();
  }

  #stop(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = null;
  }
}

/** Emits once, so much later, and ends. */
function after(clock: Clock, delayMs: number): Observable<void> {
  return new Observable((subscriber) => {
    const timer = clock.after(delayMs, () => {
      subscriber.next();
      subscriber.complete();
    });
    return () => timer.cancel();
  });
}

/** What the feed was opened with is there. */
function present<Value>(value: Value | null | undefined, model: string): Value {
  assert(value, `no market for ${model}`);
  return value;
}
