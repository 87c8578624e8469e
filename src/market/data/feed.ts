/**
 * Sends levels and quotes to any number of listeners. It computes nothing: a frame is rendered once, however many
 * listen, and a market without listeners costs nothing. A listener that missed frames gets a new snapshot; there is no
 * queue of missed frames.
 */
import assert from 'node:assert';
import {
  audit,
  concat,
  EMPTY,
  map,
  merge,
  Observable,
  of,
  repeat,
  Subject,
  type Subscription,
  startWith,
  switchMap,
} from 'rxjs';
import type { Clock } from '#base/clock.ts';
import type { MarketSnapshot, MarketView, QuoteSnapshot } from '../ports.ts';

/** Renders frames. */
export interface FrameWriter {
  level(snapshot: MarketSnapshot): string;
  levels(snapshots: readonly MarketSnapshot[]): string;
  quote(snapshot: QuoteSnapshot): string;
  board(markets: readonly BoardEntry[]): string;
}

/** A market as a page of all markets shows it. */
export interface BoardEntry {
  readonly snapshot: MarketSnapshot;
  /** Null before the first. */
  readonly quote: QuoteSnapshot | null;
}

interface FeedOptions {
  readonly clock: Clock;
  /** The markets and previews, in the configured order. */
  readonly models: readonly string[];
  readonly market: MarketView;
  readonly write: FrameWriter;
}

/** One stream of frames. */
export type FrameStream = Pick<SharedChannel, 'snapshot' | 'follow'>;

const KEEPALIVE_MS = 15_000;
/**
 * How long the board waits for other changes, unless a new quote ends the wait. A write to each listener costs more than all
 * else, so more listeners wait longer: up to 1,250 of them take 125 of these writes a second.
 */
const boardWaitMs = (listeners: number) => Math.min(10_000, Math.max(2_000, 8 * listeners));
/** How long a new quote, which is valid for seconds only, waits for those of other markets. */
const HURRY_MS = 50;

/** The streams of every market. Must be notified of each change after the market view shows it. */
export class MarketFeed {
  readonly #levels = new Map<string, SharedChannel>();
  readonly #quotes = new Map<string, SharedChannel>();
  readonly #all: SharedChannel;
  readonly #board: SharedChannel;
  /** The markets that moved since the last frame of the board. */
  readonly #movedModels = new Set<string>();
  readonly #options: FeedOptions;

  constructor(options: FeedOptions) {
    const { clock, models, market, write } = options;
    this.#options = options;
    for (const model of models) this.add(model);
    const snapshots = () => [...this.#levels.keys()].map((model) => present(market.current(model), model));
    this.#all = new SharedChannel(clock, () => write.levels(snapshots()), { partial: true });
    const board = () => this.#boardOf([...this.#levels.keys()]);
    this.#board = new SharedChannel(clock, board, { partial: true, gatherMs: boardWaitMs });
  }

  /** Adds a market that the view shows; nothing changes for one that is there. */
  add(model: string): void {
    if (this.#levels.has(model)) return;
    const { clock, market, write } = this.#options;
    const level = () => write.level(present(market.current(model), model));
    const quote = () => write.quote(present(market.quote(model), model));
    this.#levels.set(model, new SharedChannel(clock, level));
    this.#quotes.set(model, new SharedChannel(clock, quote));
  }

  /** The level of one market. */
  level(model: string): FrameStream {
    return present(this.#levels.get(model), model);
  }

  /** The levels of all markets: a snapshot contains every market, a change only the one that moved. */
  get levels(): FrameStream {
    return this.#all;
  }

  /**
   * Levels and quotes of all markets, for pages. Changes within two seconds are sent as one, so a level may be two
   * seconds late, with 500 listeners four, with 1,250 ten; a quote is not.
   */
  get board(): FrameStream {
    return this.#board;
  }

  /** The quote of one market. */
  quote(model: string): FrameStream {
    return present(this.#quotes.get(model), model);
  }

  levelMoved(model: string): void {
    const { market, write } = this.#options;
    this.#levels.get(model)?.changed();
    this.#all.changed(() => write.levels([present(market.current(model), model)]));
    this.#boardMoved(model);
  }

  quoteLatched(model: string): void {
    this.#quotes.get(model)?.changed();
    this.#boardMoved(model);
    this.#board.hurry();
  }

  #boardMoved(model: string): void {
    this.#movedModels.add(model);
    this.#board.changed(() => {
      const moved = [...this.#levels.keys()].filter((each) => this.#movedModels.has(each));
      this.#movedModels.clear();
      return this.#boardOf(moved);
    });
  }

  #boardOf(models: readonly string[]): string {
    const { market, write } = this.#options;
    const entry = (model: string) => ({ snapshot: present(market.current(model), model), quote: market.quote(model) });
    return write.board(models.map(entry));
  }

  /** Ends every stream. */
  close(): void {
    for (const channel of [...this.#levels.values(), ...this.#quotes.values(), this.#all, this.#board]) channel.close();
  }
}

interface ChannelSettings {
  /** Changes do not have the full state, so they do not put the next snapshot off. */
  readonly partial?: boolean;
  /** How long a change waits for others beside so many listeners; none does when absent. */
  readonly gatherMs?: (listeners: number) => number;
}

/** Frames shared by all listeners of one stream. */
class SharedChannel {
  readonly #render: () => string;
  /** The last rendered snapshot; null after a change. */
  #snapshot: string | null = null;
  readonly #changes = new Subject<() => string>();
  readonly #hurried = new Subject<void>();
  readonly #frames: Observable<string>;
  readonly #broadcaster = new Broadcaster();
  /** Null while nobody listens. */
  #subscription: Subscription | null = null;
  #closed = false;

  constructor(clock: Clock, render: () => string, { partial = false, gatherMs }: ChannelSettings = {}) {
    this.#render = render;
    const keepalive = after(clock, KEEPALIVE_MS).pipe(
      map(() => this.snapshot()),
      repeat(),
    );
    // The last of those that were gathered renders what moved until then.
    const soon = this.#hurried.pipe(audit(() => after(clock, HURRY_MS)));
    const gathered = gatherMs
      ? this.#changes.pipe(audit(() => merge(after(clock, gatherMs(this.#broadcaster.size)), soon)))
      : this.#changes;
    const changes = gathered.pipe(map((frame) => frame()));
    const restarting = changes.pipe(
      map((text) => of(text)),
      startWith(EMPTY),
      switchMap((changed) => concat(changed, keepalive)),
    );
    this.#frames = partial ? merge(changes, keepalive) : restarting;
  }

  /** The full current state, for a listener that is new or has missed frames. */
  snapshot(): string {
    this.#snapshot ??= this.#render();
    return this.#snapshot;
  }

  changed(frame: () => string = () => this.snapshot()): void {
    this.#snapshot = null;
    if (this.#changes.observed) this.#changes.next(frame);
  }

  /** Gathered changes are sent soon. */
  hurry(): void {
    this.#hurried.next();
  }

  /**
   * Sends a snapshot at once, then every change, and a snapshot after 15 s without one; where a change is not the full
   * state, a snapshot every 15 s. Returns how to unsubscribe.
   */
  follow(listener: FrameListener): () => void {
    if (this.#closed) {
      listener.ended();
      return () => {};
    }
    this.#broadcaster.add(listener);
    this.#subscription ??= this.#frames.subscribe((text) => this.#broadcaster.send(text));
    listener.frame(this.snapshot());
    return () => {
      this.#broadcaster.delete(listener);
      if (this.#broadcaster.size === 0) this.#stop();
    };
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    this.#broadcaster.close();
  }

  #stop(): void {
    this.#subscription?.unsubscribe();
    this.#subscription = null;
  }
}

/** Emits once after a delay, then completes. */
function after(clock: Clock, delayMs: number): Observable<void> {
  return new Observable((subscriber) => {
    const timer = clock.after(delayMs, () => {
      subscriber.next();
      subscriber.complete();
    });
    return () => timer.cancel();
  });
}

/** A value that must exist for every model the feed was opened with. */
function present<Value>(value: Value | null | undefined, model: string): Value {
  assert(value, `no market for ${model}`);
  return value;
}

/** A listener. `frame` gets one or more frames. `ended` is called at most once, last, when the stream closes. */
interface FrameListener {
  frame(text: string): void;
  ended(): void;
}

/** A socket write takes about 30 µs, so a slice takes a few milliseconds. */
const SLICE = 128;

/**
 * The listeners of one stream. Frames are sent to one slice of them per turn of the event loop, so that thousands of writes
 * do not delay other requests; those that arrive during a round are sent together in the next one. Each round starts at a
 * different listener, so that none is always last.
 */
export class Broadcaster {
  /** The number of frames sent before each was added; it receives only later ones. */
  readonly #listeners = new Map<FrameListener, number>();
  /** Frames for the next round. Bounded by what arrives during one round. */
  #pending: string[] = [];
  #frames = 0;
  #round: {
    readonly listeners: readonly FrameListener[];
    readonly texts: readonly string[];
    readonly first: number;
  } | null = null;
  #sentCount = 0;
  #rounds = 0;

  get size(): number {
    return this.#listeners.size;
  }

  /** The listener receives frames sent from now on. */
  add(listener: FrameListener): void {
    this.#listeners.set(listener, this.#frames);
  }

  /** The listener receives nothing more. */
  delete(listener: FrameListener): void {
    this.#listeners.delete(listener);
  }

  /** The first slice of listeners gets the frame at once, the others in later turns of the event loop. */
  send(text: string): void {
    this.#frames++;
    this.#pending.push(text);
    if (!this.#round) this.#begin();
  }

  /** Ends the stream for every listener. */
  close(): void {
    const listeners = [...this.#listeners.keys()];
    this.#listeners.clear();
    for (const listener of listeners) listener.ended();
  }

  #begin(): void {
    const listeners = [...this.#listeners.keys()];
    const begin = (this.#rounds++ * SLICE) % Math.max(1, listeners.length);
    const texts = this.#pending;
    this.#pending = [];
    this.#sentCount = 0;
    this.#round = {
      listeners: [...listeners.slice(begin), ...listeners.slice(0, begin)],
      texts,
      first: this.#frames - texts.length,
    };
    this.#sendSlice();
  }

  #sendSlice(): void {
    const round = this.#round;
    if (!round) return;
    const { listeners, texts, first } = round;
    const all = texts.join('');
    for (const listener of listeners.slice(this.#sentCount, this.#sentCount + SLICE)) {
      const joinedAt = this.#listeners.get(listener);
      if (joinedAt === undefined) continue;
      const text = joinedAt <= first ? all : texts.slice(joinedAt - first).join('');
      if (text !== '') listener.frame(text);
    }
    this.#sentCount += SLICE;
    if (this.#sentCount < listeners.length) setImmediate(() => this.#sendSlice());
    else {
      this.#round = null;
      if (this.#pending.length > 0) setImmediate(() => this.#round ?? this.#begin());
    }
  }
}
