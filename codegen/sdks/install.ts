/**
 * Installs the toolchains that are missing to generate and test the clients, where that is allowed: as root, by
 * apt-get. Elsewhere it names what is missing and exits 1.
 */
import { spawnSync } from 'node:child_process';
import { languages, missingToolchains } from './toolchains.ts';

const missing = await missingToolchains(languages);
const packages = [...new Set(missing.flatMap(({ debianPackages }) => debianPackages))];
if (packages.length > 0 && process.getuid?.() === 0) {
  run('update', '-q');
  run('install', '-q', '-y', '--no-install-recommends', ...packages);
}
const left = await missingToolchains(languages);
for (const { sentence } of left) console.error(sentence);
process.exitCode = left.length > 0 ? 1 : 0;

/** A failure shows in what is still missing. */
function run(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', args, { env, stdio: 'inherit' });
}
