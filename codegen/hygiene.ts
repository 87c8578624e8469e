/**
 * `npm run spec`: checks that the interface documents can be published. Redocly and Spectral have no findings, every body
 * has a valid example, no component and no part is unused, and nothing that callers rely on in openapi.yaml was removed or
 * changed since the last release, unless the newest section of CHANGELOG.md names it; the other document changes with the pages
 * that call it. The last release is the last git tag and codegen/released.txt, which `npm run spec -- --release` writes; a
 * clone without tags has only the latter.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleOf } from './bundle.ts';
import { readDocument } from './document.ts';
import { documents } from './documents.ts';
import { type Break, breakingChanges } from './hygiene/breaking.ts';
import { exampleFindings } from './hygiene/examples.ts';
import { unusedParts } from './hygiene/parts.ts';
import { redoclyFindings } from './hygiene/redocly.ts';
import { spectralFindings } from './hygiene/spectral.ts';
import { readSurface, type Surface, surfaceOf, writeSurface } from './hygiene/surface.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const RELEASED = at('codegen/released.txt');

for (const entry of documents) {
  const bundle = await bundleOf(entry.document);
  const document = readDocument(bundle.json, entry.name);
  const surface = surfaceOf(document);
  if (process.argv.includes('--release')) {
    if (entry.isPublic) writeFileSync(RELEASED, writeSurface(surface));
    continue;
  }
  const findings = new Set([
    ...(await redoclyFindings(bundle.json)),
    ...(await spectralFindings(bundle.json)),
    ...exampleFindings(document),
    ...unusedParts(entry.parts, bundle.files, document, entry.otherParts),
    ...(entry.isPublic ? unannounced([...earlierSurfaces()].flatMap((old) => breakingChanges(old, surface))) : []),
  ]);
  for (const finding of findings) console.error(finding);
  console.log(`spec: ${entry.name} has ${surface.size} facts that callers rely on, ${findings.size} findings`);
  if (findings.size > 0) process.exitCode = 1;
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

/** Breaking changes that the newest section of the changelog does not name. */
function unannounced(breaks: readonly Break[]): string[] {
  const changelog = readFileSync(at('CHANGELOG.md'), 'utf8');
  const [, news = ''] = changelog.split(/^## /m);
  return breaks
    .filter(({ subject }) => !news.includes(`\`${subject}\``))
    .map(({ subject, sentence }) => `${sentence} This breaks callers: CHANGELOG.md must name \`${subject}\`.`);
}
