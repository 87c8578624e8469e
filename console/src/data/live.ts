/**
 * Levels and quotes as they move, over one connection for all tabs: the tab that holds a lock follows the stream and passes
 * what it receives to the others; when it is closed, another takes over. Where the stream is refused (five connections of
 * an address are the most) or falls silent, the levels are polled, and the stream is tried again later.
 */
import { signal } from '@preact/signals';
import type { LevelsFrame, LevelsFrameEntry } from '#generated/types.ts';
import { after, nowMs, repeatedly } from '../clock.ts';
import { answered, api } from './api.ts';

/** What is known of a market: its level always, the rest from the stream. */
export type LiveMarket = Pick<LevelsFrameEntry, 'level' | 'quote' | 'degraded'> &
  Partial<Pick<LevelsFrameEntry, 'updated_at'>>;
/** How the levels arrive; `offline` when they do not. */
export type LinkState = 'connecting' | 'live' | 'polling' | 'offline';

/** The last that is known of each market. */
export const markets = signal<ReadonlyMap<string, LiveMarket>>(new Map());
/** How they arrive now. */
export const link = signal<LinkState>('connecting');

/** How old what is known is, once it is too old to be called live; null while it is not. Milliseconds, whole seconds. */
export const lateMs = signal<number | null>(null);

const NAME = 'sluice-markets';
/** Gathered, and with the quotes: one write for each viewer every two to ten seconds, and no requests for quotes. */
const STREAM = '/v1/market/levels/stream?view=board';
/** The gateway repeats all markets every 15 seconds. */
const SILENCE_MS = 40_000;
/** By then one of these repetitions is missing. */
const LATE_MS = 20_000;
const POLL_MS = 5_000;
const RETRY_STREAM_MS = 60_000;

/** What tabs say to each other: a new tab asks, the one that follows answers. */
type Said = { readonly ask: true } | { readonly state: LinkState; readonly markets: Changed };

type Changed = readonly (readonly [string, LiveMarket])[];

/** Follows the levels for as long as the page lives. */
export function followLevels(): void {
  repeatedly(1000, look);
  const channel = new BroadcastChannel(NAME);
  const tell = (changed: Changed) => channel.postMessage({ state: link.value, markets: changed } satisfies Said);
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if ('ask' in data) {
      if (leads) tell([...markets.value]);
    } else if (!leads) {
      became(data.state);
      learn(data.markets);
    }
  };
  channel.postMessage({ ask: true } satisfies Said);
  const lead = () => {
    leads = true;
    new Follower(tell).stream();
  };
  // Locks exist on secure origins only; elsewhere each tab follows for itself.
  if (!navigator.locks) lead();
  else
    void navigator.locks.request(NAME, () => {
      lead();
      return new Promise(() => {});
    });
}

let heardAtMs = nowMs();

function became(state: LinkState): void {
  if (state === 'live' || state === 'polling') heardAtMs = nowMs();
  link.value = state;
  look();
}

function look(): void {
  const ageMs = Math.floor((nowMs() - heardAtMs) / 1000) * 1000;
  const isLate = link.value === 'offline' || ageMs > LATE_MS;
  lateMs.value = isLate ? Math.max(0, ageMs) : null;
}

function learn(changed: Changed): void {
  if (changed.length > 0) markets.value = new Map([...markets.value, ...changed]);
}

/** Follows the stream, or polls. */
class Follower {
  readonly #tell: (changed: Changed) => void;
  #events: EventSource | null = null;
  #stopSilence = () => {};
  #stopPolling = () => {};

  constructor(tell: (changed: Changed) => void) {
    this.#tell = tell;
    addEventListener('offline', () => this.#become('offline'));
    addEventListener('online', () => this.stream());
  }

  stream(): void {
    this.#stop();
    const events = new EventSource(STREAM);
    this.#events = events;
    this.#listenForSilence();
    events.onmessage = ({ data }: MessageEvent<string>) => {
      this.#listenForSilence();
      this.#take(JSON.parse(data) as LevelsFrame, 'live');
    };
    events.onerror = () => {
      // The browser tries again by itself unless it was refused.
      if (events.readyState === EventSource.CLOSED) this.#poll();
      else this.#become('offline');
    };
  }

  #poll(): void {
    this.#stop();
    const ask = async () => {
      try {
        const list = await answered(api.GET('/v1/market/levels'));
        // The gateway was gone and is back: it has room for the stream again.
        if (link.value === 'offline') this.stream();
        else this.#take(list, 'polling');
      } catch {
        this.#become('offline');
      }
    };
    void ask();
    const stops = [repeatedly(POLL_MS, () => void ask()), after(RETRY_STREAM_MS, () => this.stream())];
    this.#stopPolling = () => {
      for (const stop of stops) stop();
    };
  }

  #listenForSilence(): void {
    this.#stopSilence();
    this.#stopSilence = after(SILENCE_MS, () => this.#poll());
  }

  #stop(): void {
    this.#events?.close();
    this.#events = null;
    this.#stopSilence();
    this.#stopPolling();
  }

  /** Polled levels have no quotes: a quote that may no longer hold is not shown. */
  #take(frame: { readonly levels: readonly ({ readonly model: string } & LiveMarket)[] }, state: LinkState): void {
    const changed = frame.levels.map(({ model, ...market }) => [model, market] as const);
    became(state);
    learn(changed);
    this.#tell(changed);
  }

  #become(state: LinkState): void {
    became(state);
    this.#tell([]);
  }
}
