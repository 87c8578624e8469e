/** Tracks whether the object or list in JSON that arrives in pieces has closed. Reads each character once. */
export class JsonNesting {
  #depth = 0;
  #begun = false;
  #quoted = false;
  #escaped = false;

  /** Whether the JSON so far could be a complete object or list. */
  get closed(): boolean {
    return this.#begun && this.#depth === 0;
  }

  /** Takes the next piece. */
  add(piece: string): void {
    for (let position = 0; position < piece.length; position++) this.#step(piece.charCodeAt(position));
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
