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

/** What is added to a direct call, in ms. */
export interface Added {
  readonly p50: number;
  readonly p99: number;
}

/**
 * What this gateway added to direct calls by the first table of `markdown` with arrivals on a clock, by its first column:
 * `unary, 400/s`. The columns `direct` and `Sluice` have `p50; p99; p99.9`. Throws when there is no such table.
 */
export function publishedAdded(markdown: string): ReadonlyMap<string, Added> {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => cellsOf(line)[0] === 'arrivals');
  if (head < 0) throw new Error('No table has arrivals.');
  const columns = cellsOf(lines[head] ?? '');
  if (!columns.includes('direct') || !columns.includes('Sluice')) throw new Error('No column is direct, or Sluice.');
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return new Map(
    rows.slice(0, end < 0 ? undefined : end).map((line) => {
      const cells = cellsOf(line);
      const [direct, ours] = ['direct', 'Sluice'].map((name) => cells[columns.indexOf(name)]?.split(';').map(Number));
      const added = (at: number) => (ours?.[at] ?? Number.NaN) - (direct?.[at] ?? Number.NaN);
      return [cells[0] ?? '', { p50: added(0), p99: added(1) }];
    }),
  );
}

/** Whether more is added than published, beyond what a quarter of an hour changes on one machine. */
export function isSlower(added: Added, published: Added): boolean {
  return added.p50 > 1.5 * published.p50 + 0.5 || added.p99 > 2 * published.p99 + 2;
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
