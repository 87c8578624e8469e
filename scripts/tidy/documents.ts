/** The documents of the project: README.md, CONTRIBUTING.md and docs/, with their texts. */
import { globSync, readFileSync } from 'node:fs';
import type { SourceFile } from './source.ts';

/** Reads them from the working folder, sorted by path. */
export function documents(): SourceFile[] {
  const paths = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md']).sort();
  return paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
