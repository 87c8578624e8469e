/** Checks imports: the table of arrows, the homes of packages, and circles. */
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

/** One finding for each import that closes a circle, even of types only: neither file can be read before the other. */
export function checkCircles(files: readonly SourceFile[]): Finding[] {
  const targetsOf = (file: SourceFile) =>
    importsOf(file).flatMap(({ specifier }) => targetOf(file.path, specifier) ?? []);
  const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const findings: Finding[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      findings.push(fault(path, 1, `imports itself in a circle: ${[...trail.slice(start), path].join(' → ')}`));
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return findings;
}
