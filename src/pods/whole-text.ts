/**
 * Text that arrives in pieces. A backend may cut between the halves of a surrogate pair (`\ud83c` at the end of a
 * delta); such a half waits for the next piece, because on its own it would be lost when written as UTF-8.
 */

/** One channel of text: answer, reasoning, or the arguments of one call. */
export class WholeText {
  #held = '';

  /** What can be passed on now: everything but a trailing first half. May be ''. Always well formed. */
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

  /** What is left when no more comes: '' or one replacement character. */
  rest(): string {
    const left = this.#held.toWellFormed();
    this.#held = '';
    return left;
  }
}
