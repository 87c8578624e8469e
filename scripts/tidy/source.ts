/** What every rule works on: files, findings about them, and the places of files. */
import { posix } from 'node:path';

/** A file with its path relative to the project, such as `src/market/price/level.ts`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One breach of a rule. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
}

/** A breach at a line of a file. */
export function fault(path: string, line: number, sentence: string): Finding {
  return { path, line, sentence };
}

/** Whether a file is a test. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

/** The number of the line at `index`, from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** The path as in imports, without the `#`: `src/` is omitted. */
export function nameOf(path: string): string {
  return path.replace(/^src\//, '');
}

/** The place of a file: a folder of `src/`, `src` for a file directly in it, or a folder beside it. */
export function placeOf(path: string): string {
  const [first = '', second = '', third] = path.split('/');
  return first === 'src' && third !== undefined ? second : first;
}

/** Whether a file is in one of these homes: places, folders inside them, or single files, as imports name them. */
export function livesIn(path: string, homes: readonly string[]): boolean {
  const name = nameOf(path);
  return homes.some((home) => home === placeOf(path) || home === name || name.startsWith(`${home}/`));
}

/** The path of the file that an import in `path` refers to; null for a package. */
export function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  if (!specifier.startsWith('#')) return null;
  const name = specifier.slice(1);
  return /^(generated|codegen|testing|simulations|scripts)\//.test(name) ? name : `src/${name}`;
}

/** The text with comments blanked, so that lines and columns stay. Text in quotes is unchanged. */
export function withoutComments(text: string): string {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, (found) => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found));
}
