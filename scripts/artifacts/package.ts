/**
 * The npm package: what the image has of the program, as JavaScript, because Node strips no types below node_modules. Types
 * become spaces, so lines and columns of a stack trace are those of the source. `npm ci` in the unpacked package installs
 * the versions of package-lock.json; npm reads them of no package that is installed from a file.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ignoredBy } from './dockerfile.ts';

/** What the image has too, without what .dockerignore leaves out. */
const PROGRAM = ['docs', 'generated', 'simulations', 'src', 'LICENSE', 'sluice.yaml'];
/** What an operator installs beside it. Compose and Helm run the image. */
const BESIDE = ['README.md', 'CHANGELOG.md', 'scripts/sluice', 'deploy/configuration.schema.json'].concat(
  ['caddy', 'grafana', 'mariadb', 'nginx', 'prometheus', 'systemd'].map((name) => `deploy/${name}`),
);

/** Builds the package of the checkout `root` into the folder `into`, and returns its file. Throws for a step that fails. */
export function buildPackage(root: string, into: string): string {
  const staged = mkdtempSync(join(tmpdir(), 'sluice-package-'));
  try {
    const ignored = ignoredBy(root);
    const filter = (path: string) => !ignored(relative(root, path));
    for (const name of PROGRAM) cpSync(join(root, name), join(staged, name), { recursive: true, filter });
    for (const name of BESIDE) cpSync(join(root, name), join(staged, name), { recursive: true });
    for (const name of globSync('**/*.ts', { cwd: staged })) toJavaScript(join(staged, name));
    writeManifests(root, staged);
    const packing = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', into];
    return join(into, execFileSync('npm', packing, { cwd: staged, encoding: 'utf8' }).trim());
  } finally {
    rmSync(staged, { recursive: true });
  }
}

/** Puts a module of JavaScript beside the one of TypeScript, which is deleted. Declarations have no code. */
function toJavaScript(file: string): void {
  const source = readFileSync(file, 'utf8');
  rmSync(file);
  if (file.endsWith('.d.ts')) return;
  // Other modules, and workers, are named by a relative path or by one that begins with #.
  const script = stripTypeScriptTypes(source).replaceAll(/'((?:\.{1,2}\/|#)[^'\s]+)\.ts'/g, "'$1.js'");
  writeFileSync(file.replace(/ts$/, 'js'), script);
}

interface Locked {
  readonly dev?: true;
  readonly link?: true;
}

/** package.json, and npm-shrinkwrap.json, the package-lock.json of packages. */
function writeManifests(root: string, staged: string): void {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const write = (name: string, value: object) => writeFileSync(join(staged, name), JSON.stringify(value, null, 2));
  const { scripts, workspaces, devDependencies, ...manifest } = read('package.json');
  const { packages, ...lock } = read('package-lock.json');
  const isUsed = ([path, { dev, link }]: [string, Locked]) => path.startsWith('node_modules/') && !dev && !link;
  const used = Object.entries<Locked>(packages).filter(isUsed);
  write('package.json', manifest);
  write('npm-shrinkwrap.json', { ...lock, packages: { '': manifest, ...Object.fromEntries(used) } });
}
