/**
 * Sends frames to many listeners, one slice of them per turn of the event loop, so that thousands of writes do not
 * delay other requests. Frames that arrive during a round are sent together in the next one. Each round starts at a
 * different listener, so that none is always last.
 */

/** A listener. `frame` gets one or more frames. `ended` is called at most once, last, when the stream closes. */
export interface FrameListener {
  frame(text: string): void;
  ended(): void;
}

/** A socket write takes about 30 µs, so a slice takes a few milliseconds. */
const SLICE = 128;

/** The listeners of one stream. */
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
