/**
 * Builds what a release ships, below artifacts/: the npm package and the image. `npm run artifacts` builds both; the image
 * needs Debian, a network and root. `npm run artifacts package` builds the package alone.
 */
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildImage } from './artifacts/image.ts';
import { buildPackage } from './artifacts/package.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'artifacts');
const MB = 1_000_000;

const builders = new Map([
  ['package', buildPackage],
  ['image', buildImage],
]);
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !builders.has(name));
if (unknown !== undefined) {
  console.error(`There is no artifact ${unknown}; name ${[...builders.keys()].join(' or ')}, or nothing for both.`);
  process.exit(2);
}
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const [name, build] of builders) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const file = build(ROOT, FOLDER);
  console.log(`${relative(ROOT, file)}  ${(statSync(file).size / MB).toFixed(1)} MB`);
}
