/**
 * A Map for values that come and go. Once a Map has survived two collections, V8 makes each of its new tables among the old
 * objects, and all that the replaced table refers to, which is every value that was there at that moment, survives until
 * the next full collection. So a Map that lives for ever turns short-lived orders into old ones. This one moves its
 * entries to a new Map now and then, which costs less than those collections.
 */

/** After so many removals the entries move, if there were at least as many as entries. */
const REMOVALS_MIN = 1024;
/** With more entries than this they stay: moving them would take a noticeable time. */
const SIZE_MAX = 8192;

/** Values by key. */
export class RenewedMap<Value> {
  #map = new Map<string, Value>();
  #removals = 0;

  get size(): number {
    return this.#map.size;
  }

  values(): Iterable<Value> {
    return this.#map.values();
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  get(key: string): Value | undefined {
    return this.#map.get(key);
  }

  set(key: string, value: Value): void {
    this.#map.set(key, value);
  }

  delete(key: string): void {
    const { size } = this.#map;
    this.#map.delete(key);
    if (++this.#removals < Math.max(REMOVALS_MIN, size) || size > SIZE_MAX) return;
    this.#map = new Map(this.#map);
    this.#removals = 0;
  }
}
