/**
 * Writes generated/ from openapi.yaml and its parts, and generated/console/ from console/. With --check it writes
 * nothing, names the files that differ and then exits 1.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artifactsOf } from './artifacts.ts';
import { bundleOf } from './bundle.ts';
import { consoleFiles } from './console.ts';

/** Where the generator reads and writes; a parameter, so that tests can use a folder of their own. */
export interface Places {
  readonly document: string;
  readonly folder: string;
}

/** Writes every file and removes those that an earlier run left. */
export async function writeArtifacts({ document, folder }: Places): Promise<void> {
  await writeFiles(folder, await artifactsOf((await bundleOf(document)).json));
}

/** Names of files that are missing, differ from what would be written, or do not belong there. */
export async function driftedFiles({ document, folder }: Places): Promise<string[]> {
  return differences(folder, await artifactsOf((await bundleOf(document)).json));
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
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const places = { document: here('../openapi.yaml'), folder: here('../generated') };
  const pages = here('../generated/console');
  if (process.argv.includes('--check')) {
    const drifted = await driftedFiles(places);
    for (const name of drifted) console.error(`generated/${name} differs from openapi.yaml; run npm run generate.`);
    const stale = await differences(pages, await consoleFiles());
    for (const name of stale) console.error(`generated/console/${name} differs from console/; run npm run generate.`);
    process.exitCode = drifted.length + stale.length > 0 ? 1 : 0;
  } else {
    await writeArtifacts(places);
    await writeFiles(pages, await consoleFiles());
  }
}
