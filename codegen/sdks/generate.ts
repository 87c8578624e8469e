/**
 * `npm run sdks [-- python go]`: writes the clients to generated/sdks/, one folder a language, from openapi.yaml and the
 * configuration beside this file. What is there is replaced; the same sources give the same bytes. Exits 1, naming what
 * is missing, on a machine without Java or Maven.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientDocument } from './document.ts';
import { generatorJar, runGenerator } from './generator.ts';
import { type Language, languages, missingGenerators } from './toolchains.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'codegen/sdks');
const TARGET = join(ROOT, 'generated/sdks');

/** The folder of a client. */
export function clientFolder(language: Language): string {
  return join(TARGET, language);
}

/** Reads languages from a command line: their names, `ts` for one of them; all of them when there is none. Throws. */
export function languagesFrom(words: readonly string[]): readonly Language[] {
  const chosen = words.map((word) => {
    const language = languages.find((each) => each === (word === 'ts' ? 'typescript' : word));
    if (!language) throw new Error(`There is no client called ${word}; there are ${languages.join(', ')}.`);
    return language;
  });
  return chosen.length > 0 ? chosen : languages;
}

/** Writes the clients of these languages, and removes what their folders held. */
export async function writeClients(chosen: readonly Language[]): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  const jar = await generatorJar(TARGET);
  const yaml = await readFile(join(ROOT, 'openapi.yaml'), 'utf8');
  const root = clientDocument(yaml);
  const document = join(TARGET, 'openapi.json');
  await writeFile(document, JSON.stringify(root));
  const version = String((root.info as { version: string }).version);
  const sources = await sourcesOf();
  const write = async (language: Language) => {
    const folder = clientFolder(language);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await copyFile(join(SOURCES, 'ignore'), join(folder, '.openapi-generator-ignore'));
    const configuration = join(SOURCES, language, 'config.yaml');
    await runGenerator({ jar, configuration, document, folder, version });
    await writeFile(sourcesFile(language), sources);
  };
  await Promise.all(chosen.map(write));
}

/** Those of these clients that are not there, or were made from other sources. */
export async function staleClients(chosen: readonly Language[]): Promise<readonly Language[]> {
  const sources = await sourcesOf();
  const made = await Promise.all(chosen.map((language) => readFile(sourcesFile(language), 'utf8').catch(() => null)));
  return chosen.filter((_, index) => made[index] !== sources);
}

function sourcesFile(language: Language): string {
  return join(clientFolder(language), '.openapi-generator/SOURCES');
}

/** A hash of everything that a client is made from. */
async function sourcesOf(): Promise<string> {
  const paths = globSync(['openapi.yaml', 'codegen/sdks/**/*.{ts,yaml,mustache}', 'codegen/sdks/ignore'], {
    cwd: ROOT,
  });
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path}\n`).update(await readFile(join(ROOT, path)));
  return hash.digest('hex');
}

if (import.meta.main) {
  const missing = await missingGenerators();
  for (const { sentence } of missing) console.error(sentence);
  if (missing.length > 0) process.exit(1);
  const chosen = languagesFrom(process.argv.slice(2));
  await writeClients(chosen);
  for (const language of chosen) console.log(`generated/sdks/${language}`);
}
