/** The processor time over the floor's that docs/understand/benchmarks.md publishes, and what is worse than that. */

/** The column of docs/understand/benchmarks.md, and of the table that `http.bench.ts` prints. */
export const ratioColumn = 'sluice ÷ floor';

/** How much more than published is no accident. */
const TOLERANCE = 0.1;

/** Scenario and connections, as in the first two columns: `unary, 8 chunks, 20`. */
export type RatioKey = string;

/** The ratios of the first table in `markdown` that has them. Throws when none has. */
export function publishedRatios(markdown: string): ReadonlyMap<RatioKey, number> {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => cellsOf(line).includes(ratioColumn));
  if (head < 0) throw new Error(`No table has the column ${ratioColumn}.`);
  const column = cellsOf(lines[head] ?? '').indexOf(ratioColumn);
  const ratios = new Map<RatioKey, number>();
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const cells = cellsOf(line);
    ratios.set(`${cells[0]}, ${cells[1]}`, Number(cells[column]));
  }
  return ratios;
}

/** Whether a ratio is more than a tenth above the published one; false for a row that is not published. */
export function isWorse(ratio: number, published: number | undefined): boolean {
  return published !== undefined && ratio > published * (1 + TOLERANCE);
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
