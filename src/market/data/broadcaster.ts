/**
 * Sends frames to many listeners, one slice of them per turn of the event loop, so that thousands of writes do not
 * delay other requests. Frames that arrive during a round are sent together in the next one. Each round starts at a
 * different listener, so that none is always last.
 */

/** Receives the frames. */
export interface FrameListener {
  frame(text: string): void;
}

/** A socket write takes about 30 µs, so a slice takes a few milliseconds. */
const SLICE = 128;

interface Subscriber {
  readonly listener: FrameListener;
  /** The number of frames sent before it subscribed; it receives only later ones. */
  readonly joinedAt: number;
}

/** The listeners of one stream. */
export class Broadcaster {
  readonly #subscribers = new Set<Subscriber>();
  /** Frames for the next round. Bounded by what arrives during one round. */
  #pending: string[] = [];
  #frames = 0;
  #round: {
    readonly subscribers: readonly Subscriber[];
    readonly texts: readonly string[];
    readonly first: number;
  } | null = null;
  #sentCount = 0;
  #rounds = 0;

  /** The listener receives frames sent from now on. Returns a function that unsubscribes it. */
  subscribe(listener: FrameListener): () => void {
    const subscriber = { listener, joinedAt: this.#frames };
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  get size(): number {
    return this.#subscribers.size;
  }

  /** The first slice of listeners gets the frame at once, the others in later turns of the event loop. */
  send(text: string): void {
    this.#frames++;
    this.#pending.push(text);
    if (!this.#round) this.#begin();
  }

  #begin(): void {
    const subscribers = [...this.#subscribers];
    const begin = (this.#rounds++ * SLICE) % Math.max(1, subscribers.length);
    const texts = this.#pending;
    this.#pending = [];
    this.#sentCount = 0;
    this.#round = {
      subscribers: [...subscribers.slice(begin), ...subscribers.slice(0, begin)],
      texts,
      first: this.#frames - texts.length,
    };
    this.#sendSlice();
  }

  #sendSlice(): void {
    const round = this.#round;
    if (!round) return;
    const { subscribers, texts, first } = round;
    const all = texts.join('');
    for (const subscriber of subscribers.slice(this.#sentCount, this.#sentCount + SLICE)) {
      if (!this.#subscribers.has(subscriber)) continue;
      const text = subscriber.joinedAt <= first ? all : texts.slice(subscriber.joinedAt - first).join('');
      if (text !== '') subscriber.listener.frame(text);
    }
    this.#sentCount += SLICE;
    if (this.#sentCount < subscribers.length) setImmediate(() => this.#sendSlice());
    else {
      this.#round = null;
      if (this.#pending.length > 0) setImmediate(() => this.#round ?? this.#begin());
    }
  }
}
