/**
 * Writes generated/ from the interface documents and their parts, generated/console/ from console/, generated/schemas/ and
 * deploy/configuration.schema.json from the schemas in src/, generated/openapi-backend/ from the package, the index of the
 * specification with the two pages about it, docs/pictures/, and generated/docs/ from docs/. With --check it writes nothing, names the
 * files that differ and then exits 1.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactsOf } from './artifacts.ts';
import { bundleOf } from './bundle.ts';
import { consoleFiles } from './console.ts';
import { docsFiles } from './docs/files.ts';
import { documents } from './documents.ts';
import { fontFiles } from './fonts.ts';
import { backendFiles } from './openapi-backend.ts';
import { pictureFiles } from './pictures/files.ts';
import { schemaFiles } from './schemas.ts';
import { specificationFiles } from './specification/files.ts';

/** Where the generator reads and writes; a parameter, so that tests can use a folder of their own. */
export interface Places {
  readonly document: string;
  readonly folder: string;
  /** What the document is called in the generated files; `openapi.yaml` when absent. */
  readonly name?: string;
}

/** Writes every file and removes those that an earlier run left. */
export async function writeArtifacts({ document, folder, name }: Places): Promise<void> {
  await writeFiles(folder, await artifactsOf((await bundleOf(document)).json, name));
}

/** Names of files that are missing, differ from what would be written, or do not belong there. */
export async function driftedFiles({ document, folder, name }: Places): Promise<string[]> {
  return differences(folder, await artifactsOf((await bundleOf(document)).json, name));
}

type Files = ReadonlyMap<string, string | Uint8Array>;

async function writeFiles(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await filesIn(folder, files)) if (!files.has(name)) await rm(`${folder}/${name}`);
  for (const [name, content] of files) {
    await mkdir(dirname(`${folder}/${name}`), { recursive: true });
    await writeFile(`${folder}/${name}`, content);
  }
}

async function differences(folder: string, files: Files): Promise<string[]> {
  const stray = (await filesIn(folder, files)).filter((name) => !files.has(name));
  const drifted: string[] = [];
  for (const [name, content] of files) {
    const present = await readFile(`${folder}/${name}`).catch(() => null);
    const wanted = typeof content === 'string' ? Buffer.from(content) : content;
    if (!present?.equals(wanted)) drifted.push(name);
  }
  return [...drifted, ...stray];
}

/** Only of folders that these files are in: generated/sdks is written on demand by another program. */
async function filesIn(folder: string, files: Files): Promise<string[]> {
  const folders = new Set([...files.keys()].map(dirname));
  const present: string[] = [];
  for (const inside of folders) {
    const entries = await readdir(`${folder}/${inside}`, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
    present.push(...names.map((name) => (inside === '.' ? name : `${inside}/${name}`)));
  }
  return present;
}

if (import.meta.main) {
  const check = process.argv.includes('--check');
  const report = (folder: string, stale: readonly string[], source: string) => {
    for (const file of stale) console.error(`${folder}/${file} differs from ${source}; run npm run generate.`);
    if (stale.length > 0) process.exitCode = 1;
  };
  for (const places of documents) {
    const folder = places.folder.slice(places.folder.lastIndexOf('generated'));
    if (check) report(folder, await driftedFiles(places), places.name);
    else await writeArtifacts(places);
  }
  const schemas = await schemaFiles();
  // Single files of folders that have others, which stay.
  const single = new Map([
    // For editors, where a configuration file names it.
    ['deploy/configuration.schema.json', schemas.get('configuration.json') ?? ''],
    ...pictureFiles(),
    ...(await specificationFiles((await bundleOf(documents[0]?.document ?? '')).json)),
  ]);
  for (const [path, text] of single) {
    const at = new URL(`../${path}`, import.meta.url);
    const isStale = (await readFile(at, 'utf8').catch(() => null)) !== text;
    if (check && isStale) report(dirname(path), [basename(path)], 'its sources');
    else if (isStale) await mkdir(new URL('.', at), { recursive: true }).then(() => writeFile(at, text));
  }
  // In this order: pages have fonts, and the documentation has pages that were written above.
  const others = [
    { folder: 'console/fonts', filesOf: fontFiles, source: 'the package' },
    { folder: 'generated/console', filesOf: consoleFiles, source: 'console/' },
    { folder: 'generated/openapi-backend', filesOf: backendFiles, source: 'the package' },
    { folder: 'generated/schemas', filesOf: async () => schemas, source: 'its source in src/' },
    { folder: 'generated/docs', filesOf: docsFiles, source: 'docs/ and console/' },
  ];
  for (const { folder, filesOf, source } of others) {
    const at = fileURLToPath(new URL(`../${folder}`, import.meta.url));
    if (check) report(folder, await differences(at, await filesOf()), source);
    else await writeFiles(at, await filesOf());
  }
}
