/**
 * `npm run spec`: checks that openapi.yaml can be published. Redocly has no findings, every body has a valid example,
 * no component and no part is unused, and nothing that callers rely on was removed or changed since the last release,
 * unless CHANGELOG.md names it under Unreleased. The last release is the last git tag and codegen/released.txt, which
 * `npm run spec -- --release` writes; a clone without tags has only the latter.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleOf } from './bundle.ts';
import { readDocument } from './document.ts';
import { type Break, breakingChanges } from './hygiene/breaking.ts';
import { exampleFindings } from './hygiene/examples.ts';
import { unusedParts } from './hygiene/parts.ts';
import { redoclyFindings } from './hygiene/redocly.ts';
import { readSurface, type Surface, surfaceOf, writeSurface } from './hygiene/surface.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const RELEASED = at('codegen/released.txt');

const bundle = await bundleOf(at('openapi.yaml'));
const document = readDocument(bundle.json);
const surface = surfaceOf(document);
if (process.argv.includes('--release')) {
  writeFileSync(RELEASED, writeSurface(surface));
} else {
  const findings = [
    ...(await redoclyFindings(bundle.json)),
    ...exampleFindings(document),
    ...unusedParts(at('openapi'), bundle.files, document),
    ...unannounced([...earlierSurfaces()].flatMap((earlier) => breakingChanges(earlier, surface))),
  ];
  for (const finding of new Set(findings)) console.error(finding);
  console.log(`spec: ${surface.size} facts that callers rely on, ${new Set(findings).size} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** The document of the last tag, if this clone has one, and the surface written at the last release. */
function earlierSurfaces(): Surface[] {
  const kept = readSurface(readFileSync(RELEASED, 'utf8'));
  const tag = git('describe', '--tags', '--abbrev=0');
  const tagged = tag && git('show', `${tag}:generated/openapi.json`);
  console.log(
    tagged
      ? `spec: compared with ${tag} and with codegen/released.txt`
      : 'spec: this clone has no release tag; compared with codegen/released.txt only',
  );
  return tagged ? [surfaceOf(readDocument(tagged)), kept] : [kept];
}

/** The output of git; null when it fails, as in a clone without tags or outside a clone. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: at('.'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Breaking changes that the changelog does not name. */
function unannounced(breaks: readonly Break[]): string[] {
  const changelog = readFileSync(at('CHANGELOG.md'), 'utf8');
  const news = changelog.split(/^## /m).find((part) => part.startsWith('Unreleased')) ?? '';
  return breaks
    .filter(({ subject }) => !news.includes(`\`${subject}\``))
    .map(({ subject, sentence }) => `${sentence} This breaks callers: CHANGELOG.md must name \`${subject}\`.`);
}
