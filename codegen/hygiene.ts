/**
 * `npm run spec`: whether openapi.yaml is fit to be published. Redocly finds nothing, every body has an example that is
 * true, no component is unused, and nothing that callers rely on is gone or different since the last release, unless
 * CHANGELOG.md names it under Unreleased. The last release is the last tag of git and, where a clone has no tags,
 * codegen/released.txt, which `npm run spec -- --release` writes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readDocument } from './document.ts';
import { type Break, breakingChanges } from './hygiene/breaking.ts';
import { exampleFindings } from './hygiene/examples.ts';
import { redoclyFindings } from './hygiene/redocly.ts';
import { readSurface, type Surface, surfaceOf, writeSurface } from './hygiene/surface.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const RELEASED = at('codegen/released.txt');

const yaml = readFileSync(at('openapi.yaml'), 'utf8');
const document = readDocument(yaml);
const surface = surfaceOf(document);
if (process.argv.includes('--release')) {
  writeFileSync(RELEASED, writeSurface(surface));
} else {
  const findings = [
    ...(await redoclyFindings(at('openapi.yaml'), yaml)),
    ...exampleFindings(document),
    ...unannounced([...earlierSurfaces()].flatMap((earlier) => breakingChanges(earlier, surface))),
  ];
  for (const finding of new Set(findings)) console.error(finding);
  console.log(`spec: ${surface.size} things that callers rely on, ${new Set(findings).size} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** The last tag's document, if this clone has one, and the one that was written at the last release. */
function earlierSurfaces(): Surface[] {
  const kept = readSurface(readFileSync(RELEASED, 'utf8'));
  const tag = git('describe', '--tags', '--abbrev=0');
  const tagged = tag && git('show', `${tag}:openapi.yaml`);
  console.log(
    tagged
      ? `spec: compared with ${tag} and with codegen/released.txt`
      : 'spec: there is no release tag in this clone; compared with codegen/released.txt alone',
  );
  return tagged ? [surfaceOf(readDocument(tagged)), kept] : [kept];
}

/** What git prints; null when it cannot, as in a clone without tags or in no clone at all. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: at('.'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Breaking changes of which the changelog does not speak. */
function unannounced(breaks: readonly Break[]): string[] {
  const changelog = readFileSync(at('CHANGELOG.md'), 'utf8');
  const news = changelog.split(/^## /m).find((part) => part.startsWith('Unreleased')) ?? '';
  return breaks
    .filter(({ subject }) => !news.includes(`\`${subject}\``))
    .map(({ subject, sentence }) => `${sentence} That breaks callers: CHANGELOG.md has to name \`${subject}\`.`);
}
