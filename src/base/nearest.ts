/** Finds what a misspelt word was meant to be. */

/**
 * The known word closest to `word`, at most `editsMax` edits away and fewer than its letters; null for none. An edit is a
 * letter that is wrong, missing or too much, or two neighbors in the wrong order.
 */
export function nearest(word: string, known: readonly string[], editsMax: number): string | null {
  const close = known
    .filter(({ length }) => Math.abs(length - word.length) <= editsMax)
    .map((name) => ({ name, edits: editDistance(word, name) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = close;
  return best && best.edits <= Math.min(editsMax, word.length - 1) ? best.name : null;
}

function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwapped = j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
