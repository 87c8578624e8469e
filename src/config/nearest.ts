/** Suggestions for misspelt words. */

/** The known word closest to `key`, at most `editsMax` edits away and fewer than its letters; null for none. */
export function nearest(key: string, known: readonly string[], editsMax: number): string | null {
  const close = known.map((name) => ({ name, edits: editDistance(key, name) })).sort((a, b) => a.edits - b.edits);
  const [best] = close;
  return best && best.edits <= Math.min(editsMax, key.length - 1) ? best.name : null;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
