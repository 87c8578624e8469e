/**
 * Values by key, in the order in which they were used. A Map whose entries are deleted and set again keeps that order too,
 * but hashes each key three times for it, and this is done twice for every order that starts or ends.
 */

/** A value and its neighbours in the order of use. Whoever keeps it finds the value without a look-up. */
export interface Used<Value> {
  readonly key: string;
  readonly value: Value;
  older: Used<Value> | null;
  newer: Used<Value> | null;
  /** Whether it was deleted; its key may have another one now. */
  isGone: boolean;
}

/** Every operation takes one look-up or none, however many values there are. */
export class UseOrder<Value> {
  readonly #entries = new Map<string, Used<Value>>();
  #oldest: Used<Value> | null = null;
  #newest: Used<Value> | null = null;

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which this does not count as a use of; null for none. */
  get(key: string): Used<Value> | null {
    return this.#entries.get(key) ?? null;
  }

  /** Makes a value that is not gone the one that was used last. */
  use(entry: Used<Value>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  /** Adds the value of a key that has none, as the one that was used last. */
  add(key: string, value: Value): Used<Value> {
    const entry = { key, value, older: null, newer: null, isGone: false };
    this.#entries.set(key, entry);
    this.#link(entry);
    return entry;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.isGone = true;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  /** Removes the value that was used longest ago and returns it; null for none. */
  takeOldest(): Value | null {
    const entry = this.#oldest;
    if (entry) this.delete(entry.key);
    return entry?.value ?? null;
  }

  /** The one used last first. The present one may be deleted. */
  *[Symbol.iterator](): Generator<Used<Value>> {
    for (let entry = this.#newest; entry; ) {
      const { older } = entry;
      yield entry;
      entry = older;
    }
  }

  #link(entry: Used<Value>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Used<Value>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
