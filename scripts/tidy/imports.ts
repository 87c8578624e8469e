/** Checks imports: the table of arrows, the homes of packages, and circles. */
import { posix } from 'node:path';
import { arrows, arrowsOfTests, exceptions, isProduct, packageHomes } from './rules.ts';
import {
  type Finding,
  fault,
  isTest,
  lineAt,
  livesIn,
  placeOf,
  type SourceFile,
  targetOf,
  withoutComments,
} from './source.ts';

interface Import {
  readonly line: number;
  readonly specifier: string;
}

/** The imports of a file that the table or the home of a package forbids. */
export function checkImports(file: SourceFile): Finding[] {
  return importsOf(file).flatMap(({ line, specifier }) => {
    const target = targetOf(file.path, specifier);
    const sentence = target
      ? (faultOfForm(file.path, specifier, target) ?? faultOfArrow(file.path, specifier, target))
      : faultOfPackage(file.path, specifier);
    return sentence ? [fault(file.path, line, sentence)] : [];
  });
}

/** An import across places is written with `#`, inside a place without; a file directly in `src/` may write either. */
function faultOfForm(path: string, specifier: string, target: string): string | null {
  if (placeOf(path) === 'src' && target.startsWith('src/')) return null;
  const inside = placeOf(path) === placeOf(target);
  if (specifier.startsWith('.')) return inside ? null : `imports ${specifier}: write #… to cross a folder`;
  return inside && !isTest(path) ? `imports ${specifier}: write ./… inside a folder` : null;
}

function faultOfArrow(path: string, specifier: string, target: string): string | null {
  const place = placeOf(path);
  const row = arrows[place];
  if (!row) return `lies in ${place}, which the import table does not name`;
  const extra = isTest(path) && place !== 'contract-tests' ? arrowsOfTests : [];
  const allowed = [...new Set([place, ...row, ...extra, ...(exceptions[path]?.may ?? [])])];
  if (livesIn(target, allowed) || (target.startsWith('src/') && allowed.includes('src'))) return null;
  return `imports ${specifier}: ${place} may import ${allowed.slice(1).join(', ') || 'nothing of ours'}`;
}

function faultOfPackage(path: string, specifier: string): string | null {
  if (specifier.startsWith('node:') || isTest(path) || !isProduct(placeOf(path))) return null;
  const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? '');
  const homes = packageHomes[name];
  if (!homes || livesIn(path, homes)) return null;
  return `imports ${name}, which only ${homes.join(', ')} may know`;
}

function importsOf({ text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const pattern = /(?:^(?:import|export)\s[^'";]*?from\s*|^import\s*|\bimport\(\s*)'([^']+)'/gm;
  return [...code.matchAll(pattern)].map((match) => ({
    line: lineAt(code, match.index),
    specifier: match[1] ?? '',
  }));
}

/**
 * One finding for each circle of folders. At every depth a folder stands for all that is in it; besides, each folder is
 * looked at alone, without those inside it, so that a folder and one of its subfolders may not import each other either.
 */
export function checkFolderCircles(files: readonly SourceFile[]): Finding[] {
  const imports = files.map((file) => ({ from: file.path, to: targetsOf(file) }));
  const depths = Math.max(0, ...files.map(({ path }) => path.split('/').length - 1));
  const views = [
    posix.dirname,
    ...Array.from({ length: depths }, (_, depth) => (path: string) => cutTo(path, depth + 1)),
  ];
  const found = new Map<string, Finding>();
  for (const view of views) {
    const graph = new Map<string, string[]>();
    for (const { from, to } of imports) {
      const folder = view(from);
      const others = to.map(view).filter((target) => target !== folder);
      graph.set(folder, [...(graph.get(folder) ?? []), ...others]);
    }
    for (const circle of circlesIn(graph)) {
      const sentence = `imports itself in a circle of folders: ${circle.join(' → ')}`;
      found.set(sentence, fault(circle[0] ?? '', 1, sentence));
    }
  }
  return [...found.values()];
}

/** The first `depth` folders of a path; the folder of a file that lies higher. */
function cutTo(path: string, depth: number): string {
  return posix.dirname(path).split('/').slice(0, depth).join('/');
}

/** Each circle that a walk through the graph meets, as its nodes, the first again at the end. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node);
    if (start >= 0) {
      circles.push([...trail.slice(start), node]);
      return;
    }
    if (done.has(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

/** The files that a file imports. */
export function targetsOf(file: SourceFile): string[] {
  return importsOf(file).flatMap(({ specifier }) => targetOf(file.path, specifier) ?? []);
}
