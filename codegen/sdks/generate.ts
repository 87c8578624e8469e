/**
 * `npm run sdks [-- python go]`: writes the clients to generated/sdks/, one folder per language, from
 * generated/openapi.json and the configuration in this folder. Earlier files are replaced; the same sources give the
 * same bytes. `-- --check` proves that: it writes to another folder and names the files that differ. Exits 1 if there
 * are any, and without Java or Maven, naming what is missing.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from '../document.ts';
import { readSurface, surfaceOf } from '../hygiene/surface.ts';
import { writeAddOns } from './add-ons.ts';
import { changelogOf } from './changelog.ts';
import { clientDocument } from './document.ts';
import { writeUnions } from './document-unions.ts';
import { fetchJar, runGenerator } from './generator.ts';
import { editClient } from './generator-edits.ts';
import { writeAsyncio } from './python-asyncio.ts';
import { writePythonTypes } from './python-types.ts';
import { type Language, languages, missingGenerators } from './toolchains.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'codegen/sdks');
const TARGET = join(ROOT, 'generated/sdks');
/** The surface of the last released document. */
const RELEASED = 'codegen/released.txt';
/** In the folder of a client: the hash of its sources. */
const SOURCES_FILE = '.openapi-generator/SOURCES';

/** The folder of a client. */
export function clientFolder(language: Language, target = TARGET): string {
  return join(target, language);
}

/** Parses languages of a command line, `ts` for TypeScript; all when none is given. Throws on an unknown name. */
export function languagesFrom(words: readonly string[]): readonly Language[] {
  const chosen = words.map((word) => {
    const language = languages.find((each) => each === (word === 'ts' ? 'typescript' : word));
    if (!language) throw new Error(`There is no client ${word}; the clients are ${languages.join(', ')}.`);
    return language;
  });
  return chosen.length > 0 ? chosen : languages;
}

/** Writes the clients of these languages with their add-ons, and removes the earlier content of their folders. */
export async function writeClients(chosen: readonly Language[], target = TARGET): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  await fetchJar();
  const whole = await readFile(join(ROOT, 'generated/openapi.json'), 'utf8');
  const released = readSurface(await readFile(join(ROOT, RELEASED), 'utf8'));
  const unions = await readFile(join(SOURCES, 'unions.ts'), 'utf8');
  const sources = await sourcesOf();
  const write = async (language: Language) => {
    const folder = clientFolder(language, target);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await copyFile(join(SOURCES, 'ignore'), join(folder, '.openapi-generator-ignore'));
    const root = clientDocument(whole, language);
    const document = join(target, `openapi-${language}.json`);
    await writeFile(document, JSON.stringify(root));
    const configuration = join(SOURCES, language, 'config.yaml');
    const version = String((root.info as { version: string }).version);
    await runGenerator({ configuration, document, folder, version });
    await editClient(language, folder);
    if (language === 'typescript') await writeUnions(unions, join(folder, 'src'));
    if (language === 'python') {
      await writePythonTypes(root, unions, join(folder, 'sluice'));
      await writeAsyncio(join(folder, 'sluice'));
    }
    if (language === 'typescript' || language === 'python') await writeAddOns(language, version, target);
    await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'CHANGELOG.md'), changelogOf(version, released, surfaceOf(readDocument(whole))));
    await writeFile(join(folder, SOURCES_FILE), sources);
  };
  await Promise.all(chosen.map(write));
}

/** Those of these clients that are missing or were made from other sources. */
export async function staleClients(chosen: readonly Language[]): Promise<readonly Language[]> {
  const sources = await sourcesOf();
  const made = await Promise.all(
    chosen.map((language) => readFile(join(clientFolder(language), SOURCES_FILE), 'utf8').catch(() => null)),
  );
  return chosen.filter((_, index) => made[index] !== sources);
}

/** Files of these clients, as paths in generated/sdks, that differ from what would be written now. */
export async function driftedFiles(chosen: readonly Language[]): Promise<readonly string[]> {
  const fresh = await mkdtemp(join(tmpdir(), 'sluice-sdks-'));
  try {
    await writeClients(chosen, fresh);
    const paths = globSync(
      chosen.map((language) => `${language}{,-add-ons}/**/*.*`),
      { cwd: fresh },
    ).sort();
    const same = await Promise.all(paths.map((path) => sameBytes(join(fresh, path), join(TARGET, path))));
    return paths.filter((_, index) => !same[index]);
  } finally {
    await rm(fresh, { recursive: true });
  }
}

async function sameBytes(path: string, other: string): Promise<boolean> {
  const present = await readFile(other).catch(() => null);
  return present?.equals(await readFile(path)) ?? false;
}

/** A hash of all sources of a client. */
async function sourcesOf(): Promise<string> {
  const patterns = [
    'generated/openapi.json',
    'codegen/sdks/ignore',
    'LICENSE',
    RELEASED,
    'codegen/sdks/**/*.{ts,js,json,yaml,toml,mustache,md,py,typed,go,java}',
  ];
  const paths = globSync(patterns, { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path}\n`).update(await readFile(join(ROOT, path)));
  return hash.digest('hex');
}

async function main(words: readonly string[]): Promise<void> {
  const chosen = languagesFrom(words.filter((word) => word !== '--check'));
  const missing = await missingGenerators();
  if (missing.length > 0) throw new Error(missing.map(({ sentence }) => sentence).join('\n'));
  if (words.includes('--check')) {
    const drifted = await driftedFiles(chosen);
    for (const path of drifted) console.error(`generated/sdks/${path} differs from what npm run sdks writes.`);
    process.exitCode = drifted.length > 0 ? 1 : 0;
  } else {
    await writeClients(chosen);
    for (const language of chosen) console.log(`generated/sdks/${language}`);
  }
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
