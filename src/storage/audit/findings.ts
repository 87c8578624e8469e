/** What an audit found, in sentences; bounded, because a broken ledger may be broken a million times. */

const KEPT_MAX = 1000;

export class Findings {
  readonly #kept: string[] = [];
  #left = 0;

  /** Notes one thing that is not as it must be. */
  add(sentence: string): void {
    if (this.#kept.length < KEPT_MAX) this.#kept.push(sentence);
    else this.#left++;
  }

  /** Notes `sentence` unless `holds`. */
  unless(holds: boolean, sentence: () => string): void {
    if (!holds) this.add(sentence());
  }

  /** Everything noted; the last line counts what did not fit. */
  list(): string[] {
    return this.#left === 0 ? this.#kept : [...this.#kept, `… and ${this.#left} more.`];
  }
}
