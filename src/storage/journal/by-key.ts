/** One order for everybody who writes rows that others write too: two transactions then never wait for each other. */

/** What a map holds, or what `choose` makes of it, in the order of its keys. */
export function byKey<Value, Chosen = Value>(
  map: ReadonlyMap<string, Value>,
  choose: (value: Value, key: string) => Chosen = (value) => value as unknown as Chosen,
): Chosen[] {
  return [...map.keys()].sort().map((key) => choose(map.get(key) as Value, key));
}
