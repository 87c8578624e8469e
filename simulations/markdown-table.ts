/** Markdown tables with columns aligned as text, so that they can be read in a terminal and pasted into documents. */

/** A table of these columns: the first is aligned left, the others, figures, right. */
export function markdownTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column === 0)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(names), rule, ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}
