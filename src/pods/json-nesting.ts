/** Tells from JSON that comes in pieces whether the object or list in it has closed. Looks at each letter once. */
export class JsonNesting {
  #depth = 0;
  #begun = false;
  #quoted = false;
  #escaped = false;

  /** Whether what has come so far could be a whole object or list. */
  get closed(): boolean {
    return this.#begun && this.#depth === 0;
  }

  /** Takes the next piece. */
  add(piece: string): void {
    for (let place = 0; place < piece.length; place++) this.#step(piece.charCodeAt(place));
  }

  #step(letter: number): void {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (letter === BACKSLASH) this.#escaped = true;
      else if (letter === QUOTE) this.#quoted = false;
    } else if (letter === QUOTE) {
      this.#quoted = true;
    } else if (letter === OPEN_OBJECT || letter === OPEN_LIST) {
      this.#begun = true;
      this.#depth++;
    } else if (letter === CLOSE_OBJECT || letter === CLOSE_LIST) {
      this.#depth--;
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
