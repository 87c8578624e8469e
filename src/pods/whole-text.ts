/**
 * Text that arrives in pieces. A backend may split a surrogate pair (`\ud83c` at the end of a delta). Such a half is
 * held until the next piece, because it would be lost when written alone as UTF-8.
 */

/** One channel of text: the answer, the reasoning, or the arguments of one call. */
export class WholeText {
  #held = '';

  /** The text to pass on now: everything except a trailing high surrogate. May be ''. Always well formed. */
  next(piece: string): string {
    const text = this.#held === '' ? piece : this.#held + piece;
    this.#held = '';
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#held = text.slice(-1);
      return text.slice(0, -1).toWellFormed();
    }
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  /** The rest at the end of the text: '' or one replacement character. */
  rest(): string {
    const left = this.#held.toWellFormed();
    this.#held = '';
    return left;
  }
}
