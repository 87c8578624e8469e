/** Rows of a table that is printed line by line while a run goes on. */

/** One line; a negative width aligns its cell to the left. */
export function row(widths: readonly number[], cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return width < 0 ? String(cell).padEnd(-width) : String(cell).padStart(width);
  });
  return padded.join('  ').trimEnd();
}
