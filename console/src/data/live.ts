/**
 * The levels as they move, over one connection for all tabs: the tab that holds a lock follows the stream and passes
 * what it hears to the others; when it is closed, another takes over. Where the stream is refused (five connections of
 * an address are the most) or falls silent, the levels are polled, and the stream is tried again later.
 */
import { signal } from '@preact/signals';
import type { LevelList } from '#generated/types.ts';
import { after, repeatedly } from '../clock.ts';
import { answered, api } from './api.ts';

/** How the levels arrive; `offline` when they do not. */
export type LinkState = 'connecting' | 'live' | 'polling' | 'offline';

/** The last level of each market that is known. */
export const levels = signal<ReadonlyMap<string, number>>(new Map());
/** How they arrive now. */
export const link = signal<LinkState>('connecting');

const NAME = 'sluice-levels';
const STREAM = '/v1/market/levels/stream';
/** The gateway repeats all levels every 15 seconds. */
const SILENCE_MS = 40_000;
const POLL_MS = 5_000;
const RETRY_STREAM_MS = 60_000;

/** What tabs say to each other: a new tab asks, the one that follows tells. */
type Said =
  | { readonly ask: true }
  | { readonly state: LinkState; readonly levels: readonly (readonly [string, number])[] };

/** Follows the levels for as long as the page lives. */
export function followLevels(): void {
  const channel = new BroadcastChannel(NAME);
  const tell = (changed: Iterable<readonly [string, number]>) =>
    channel.postMessage({ state: link.value, levels: [...changed] } satisfies Said);
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if ('ask' in data) {
      if (leads) tell(levels.value);
    } else if (!leads) {
      link.value = data.state;
      learn(data.levels);
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

function learn(changed: readonly (readonly [string, number])[]): void {
  if (changed.length > 0) levels.value = new Map([...levels.value, ...changed]);
}

/** Follows the stream, or polls. */
class Follower {
  readonly #tell: (changed: Iterable<readonly [string, number]>) => void;
  #events: EventSource | null = null;
  #stopSilence = () => {};
  #stopPolling = () => {};

  constructor(tell: (changed: Iterable<readonly [string, number]>) => void) {
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
      // Its frames are the list of those that moved.
      this.#take(JSON.parse(data) as LevelList, 'live');
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

  #take(frame: LevelList, state: LinkState): void {
    const changed = frame.levels.map(({ model, level }) => [model, level] as const);
    link.value = state;
    learn(changed);
    this.#tell(changed);
  }

  #become(state: LinkState): void {
    link.value = state;
    this.#tell([]);
  }
}
