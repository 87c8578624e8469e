/**
 * Holds the house rules against source files. Pure: files in, findings out. Reads imports and words by pattern and not
 * by parsing, after blanking comments; that is exact for code that biome has formatted.
 */
import { posix } from 'node:path';
import { arrows, lineLimits, packageHomes, rootFolders, words } from './rules.ts';

/** A file with its path from the project's folder, such as `src/market/level.ts`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One breach. A warning does not fail the run. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly severity: 'fault' | 'warning';
  readonly sentence: string;
}

interface Import {
  readonly line: number;
  readonly specifier: string;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
}

/** Everything that is wrong with these files, in their order. */
export function inspect(files: readonly SourceFile[]): Finding[] {
  const sources = files.filter((file) => /^src\/.*\.ts$/.test(file.path));
  const findings = sources.flatMap((file) => [
    ...checkOpening(file),
    ...(isTest(file.path) ? [] : [...checkLength(file), ...checkWords(file), ...checkImports(file)]),
  ]);
  return [...findings, ...findCycles(sources.filter((file) => !isTest(file.path)))];
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

function checkOpening({ path, text }: SourceFile): Finding[] {
  if (isTest(path) || /^(#!.*\n)?\/\*\*/.test(text)) return [];
  return [fault(path, 1, 'opens without a comment that says what lives here')];
}

function checkLength({ path, text }: SourceFile): Finding[] {
  const lines = text.trimEnd().split('\n').length;
  if (lines > lineLimits.fail)
    return [fault(path, lines, `has ${lines} lines, more than ${lineLimits.fail}: split it`)];
  if (lines <= lineLimits.warn) return [];
  return [
    { path, line: lines, severity: 'warning', sentence: `has ${lines} lines: look for the second idea inside it` },
  ];
}

function checkWords({ path, text }: SourceFile): Finding[] {
  const lines = withoutComments(text).split('\n');
  return words.flatMap(({ pattern, homes, mend }) => {
    if (homes.some((home) => livesIn(path, home))) return [];
    return lines.flatMap((content, index) => {
      const found = pattern.exec(content)?.[0];
      return found ? [fault(path, index + 1, `says ${found.replace(/\($/, '')} outside its home: ${mend}`)] : [];
    });
  });
}

function checkImports(file: SourceFile): Finding[] {
  return importsOf(file).flatMap(({ line, specifier }) => {
    const sentence = faultOfImport(file.path, specifier);
    return sentence ? [fault(file.path, line, sentence)] : [];
  });
}

/** What is wrong with `path` importing `specifier`; null when nothing is. */
function faultOfImport(path: string, specifier: string): string | null {
  if (specifier.startsWith('node:')) return null;
  const folder = folderOf(path);
  if (specifier.startsWith('.')) {
    const target = folderOf(posix.join(posix.dirname(path), specifier));
    return target === folder || folder === '' ? null : `imports ${specifier}: write #… to cross a folder`;
  }
  if (specifier.startsWith('#')) return faultOfArrow(folder, specifier);
  return faultOfPackage(path, specifier);
}

function faultOfArrow(folder: string, specifier: string): string | null {
  const allowed = arrows[folder];
  if (folder === '' || rootFolders.includes(folder)) return null;
  if (!allowed) return `lies in ${folder}, which the import table does not name`;
  const target = specifier.slice(1);
  const targetFolder = target.split('/')[0] ?? '';
  if (targetFolder === folder) return `imports ${specifier}: write ./… inside a folder`;
  if (targetFolder === 'generated')
    return allowed.includes('#generated') ? null : `imports ${specifier}: not from ${folder}`;
  if (allowed.includes(targetFolder) || allowed.includes(target)) return null;
  return `imports ${specifier}: ${folder} may import ${allowed.join(', ') || 'nothing of ours'}`;
}

function faultOfPackage(path: string, specifier: string): string | null {
  const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? '');
  const homes = packageHomes[name];
  if (!homes || homes.some((home) => livesIn(path, home))) return null;
  return `imports ${name}, which only ${homes.join(', ')} may know`;
}

/** `home` is a folder of `src/`, or a file in it with its extension. */
function livesIn(path: string, home: string): boolean {
  return home.endsWith('.ts') ? path === `src/${home}` : path.startsWith(`src/${home}/`);
}

/** The folder of `src/` that a path lies in; empty for a file directly in it or elsewhere. */
function folderOf(path: string): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? '';
}

function importsOf({ text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const pattern = /(?:\b(?:import|export)\s+(type\b)?[^'";]*?from\s*|\bimport\s*\(?\s*)'([^']+)'/g;
  return [...code.matchAll(pattern)].map((match) => ({
    line: code.slice(0, match.index).split('\n').length,
    specifier: match[2] ?? '',
    typeOnly: match[1] !== undefined,
  }));
}

/** The same text with comments blanked, line by line, so that places stay. Text inside quotes is left alone. */
function withoutComments(text: string): string {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, (found) => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found));
}

/** One finding for each import that closes a circle. Type imports are left out: they are gone when the program runs. */
function findCycles(files: readonly SourceFile[]): Finding[] {
  const targetsOf = (file: SourceFile) =>
    importsOf(file)
      .filter(({ typeOnly }) => !typeOnly)
      .map(({ specifier }) => resolve(file.path, specifier));
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

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
}

function fault(path: string, line: number, sentence: string): Finding {
  return { path, line, severity: 'fault', sentence };
}
