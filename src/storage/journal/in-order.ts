/** One order for all who write rows that others write too, so that no two transactions wait for each other. */

/** The entries of a map, by their keys. */
export function inOrder<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1));
}
