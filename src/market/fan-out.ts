/**
 * Tells frames to many listeners, a slice of them in each turn of the event loop, so that thousands of writes never hold
 * up a request that came meanwhile. What happens during a round is told together in the next one. Each round begins with
 * another listener, so that nobody is always the last to know.
 */

/** Who is told. */
export interface FrameListener {
  frame(text: string): void;
}

/** A write to a socket takes some 30 µs, so a slice takes a few milliseconds. */
const SLICE = 128;

interface Place {
  readonly listener: FrameListener;
  /** How many frames there had been when it joined: it is told what came after. */
  readonly joinedAt: number;
}

/** The listeners of one stream. */
export class FanOut {
  readonly #places = new Set<Place>();
  /** Frames of the next round. Bounded by what can happen while a round lasts. */
  #waiting: string[] = [];
  #frames = 0;
  #round: { readonly places: readonly Place[]; readonly texts: readonly string[]; readonly first: number } | null =
    null;
  #told = 0;
  #rounds = 0;

  /** A new listener knows everything up to now. Gives a way out. */
  join(listener: FrameListener): () => void {
    const place = { listener, joinedAt: this.#frames };
    this.#places.add(place);
    return () => void this.#places.delete(place);
  }

  get size(): number {
    return this.#places.size;
  }

  /** The first listeners are told at once, the others in turns to come. */
  tell(text: string): void {
    this.#frames++;
    this.#waiting.push(text);
    if (!this.#round) this.#begin();
  }

  #begin(): void {
    const places = [...this.#places];
    const begin = (this.#rounds++ * SLICE) % Math.max(1, places.length);
    const texts = this.#waiting;
    this.#waiting = [];
    this.#told = 0;
    this.#round = {
      places: [...places.slice(begin), ...places.slice(0, begin)],
      texts,
      first: this.#frames - texts.length,
    };
    this.#tellSlice();
  }

  #tellSlice(): void {
    const round = this.#round;
    if (!round) return;
    const { places, texts, first } = round;
    const all = texts.join('');
    for (const place of places.slice(this.#told, this.#told + SLICE)) {
      if (!this.#places.has(place)) continue;
      const text = place.joinedAt <= first ? all : texts.slice(place.joinedAt - first).join('');
      if (text !== '') place.listener.frame(text);
    }
    this.#told += SLICE;
    if (this.#told < places.length) setImmediate(() => this.#tellSlice());
    else {
      this.#round = null;
      if (this.#waiting.length > 0) setImmediate(() => this.#round ?? this.#begin());
    }
  }
}
