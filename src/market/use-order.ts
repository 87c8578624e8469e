/**
 * Values by key, in the order in which they were used. A Map whose entries are deleted and set again keeps that order too,
 * but hashes each key three times for it, and this is done twice for every order that starts or ends.
 */

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  older: Entry<Value> | null;
  newer: Entry<Value> | null;
}

/** Every operation takes one look-up, however many values there are. */
export class UseOrder<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  #oldest: Entry<Value> | null = null;
  #newest: Entry<Value> | null = null;

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which this does not count as a use of. */
  get(key: string): Value | null {
    return this.#entries.get(key)?.value ?? null;
  }

  /** The value of a key, now the one that was used last; null for none. */
  use(key: string): Value | null {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#link(entry);
    }
    return entry.value;
  }

  /** Adds the value of a key that has none, as the one that was used last, and returns it. */
  add(key: string, value: Value): Value {
    const entry = { key, value, older: null, newer: null };
    this.#entries.set(key, entry);
    this.#link(entry);
    return value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  /** Removes the value that was used longest ago and returns it; null for none. */
  takeOldest(): Value | null {
    const entry = this.#oldest;
    if (entry) this.delete(entry.key);
    return entry?.value ?? null;
  }

  /** Keys and values, the one used longest ago first. The present one may be deleted. */
  *[Symbol.iterator](): Generator<[key: string, value: Value]> {
    for (let entry = this.#oldest; entry; ) {
      const { key, value, newer } = entry;
      yield [key, value];
      entry = newer;
    }
  }

  #link(entry: Entry<Value>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<Value>): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
  }
}
