/**
 * Writes generated/ from the interface documents and their parts, generated/console/ from console/, generated/schemas/ and
 * deploy/configuration.schema.json from the schemas in src/, and generated/openapi-backend/ from the package. With --check
 * it writes nothing, names the files that differ and then exits 1.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactsOf } from './artifacts.ts';
import { bundleOf } from './bundle.ts';
import { consoleFiles } from './console.ts';
import { documents } from './documents.ts';
import { backendFiles } from './openapi-backend.ts';
import { schemaFiles } from './schemas.ts';

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

type Files = ReadonlyMap<string, string>;

async function writeFiles(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await filesIn(folder, files)) if (!files.has(name)) await rm(`${folder}/${name}`);
  for (const [name, text] of files) {
    await mkdir(dirname(`${folder}/${name}`), { recursive: true });
    await writeFile(`${folder}/${name}`, text);
  }
}

async function differences(folder: string, files: Files): Promise<string[]> {
  const stray = (await filesIn(folder, files)).filter((name) => !files.has(name));
  const drifted: string[] = [];
  for (const [name, text] of files) {
    const present = await readFile(`${folder}/${name}`, 'utf8').catch(() => null);
    if (present !== text) drifted.push(name);
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
  const others = [
    { folder: 'generated/console', files: await consoleFiles(), source: 'console/' },
    { folder: 'generated/openapi-backend', files: await backendFiles(), source: 'the package' },
    { folder: 'generated/schemas', files: schemas, source: 'its source in src/' },
  ];
  for (const { folder, files, source } of others) {
    const at = fileURLToPath(new URL(`../${folder}`, import.meta.url));
    if (check) report(folder, await differences(at, files), source);
    else await writeFiles(at, files);
  }
  // For editors, where a configuration file names it. The folder has other files, which stay.
  const forEditors = new URL('../deploy/configuration.schema.json', import.meta.url);
  const schema = schemas.get('configuration.json') ?? '';
  const isStale = (await readFile(forEditors, 'utf8').catch(() => null)) !== schema;
  if (check && isStale) report('deploy', ['configuration.schema.json'], 'src/config/schema.yaml');
  else if (isStale) await writeFile(forEditors, schema);
}
