/** Figures that have targets: benchmarks tell them, and the table of targets reads them. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Where benchmarks write their figures, if that is set. */
const FILE = 'BENCH_FIGURES';

/** Writes a figure, such as `start: idle MiB`. A name that was written before is replaced. */
export function tellFigure(name: string, value: number): void {
  const file = process.env[FILE];
  if (file) appendFileSync(file, `${JSON.stringify([name, value])}\n`);
}

/** The environment in which benchmarks write their figures to `file`. */
export function tellingTo(file: string): Record<string, string> {
  return { [FILE]: file };
}

/** The figures that were written to `file`, by name; none if there is no such file. */
export function figuresIn(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as [string, number]));
}
