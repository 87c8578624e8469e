/**
 * Some engines leave the stop string with which they ended at the end of the text (TGI, `transformers serve`). By the
 * protocol it is not part of the answer, so what could be its beginning is held until the next piece.
 */

/** The end of one text. */
export class StopTail {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** The text to pass on now: all but an end that one of the stop strings begins with. */
  next(piece: string): string {
    if (this.#stops.length === 0 || piece === '') return piece;
    const text = this.#held + piece;
    const longest = Math.max(...this.#stops.map(({ length }) => length));
    let from = Math.max(0, text.length - longest);
    while (from < text.length && !this.#stops.some((stop) => beginsAt(text, from, stop))) from++;
    this.#held = text.slice(from);
    return text.slice(0, from);
  }

  /** Returns the held text, because something else follows it or the model ended in another way. */
  rest(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }

  /** The stop string at the end of the text, which is then gone; null for none. */
  cut(): string | null {
    const ending = this.#stops.filter((stop) => this.#held.endsWith(stop));
    const [stop = null] = ending.sort((one, other) => other.length - one.length);
    this.#held = this.#held.slice(0, this.#held.length - (stop?.length ?? 0));
    return stop;
  }
}

/** Whether the text from here to its end is the beginning of the stop string, or all of it. */
function beginsAt(text: string, from: number, stop: string): boolean {
  return text[from] === stop[0] && stop.startsWith(text.slice(from));
}
