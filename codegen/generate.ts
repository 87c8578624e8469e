/**
 * Writes generated/ from openapi.yaml and its parts. With --check it writes nothing, names the files that differ and
 * then exits 1.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { artifactsOf } from './artifacts.ts';
import { bundleOf } from './bundle.ts';

/** Where the generator reads and writes; a parameter, so that tests can use a folder of their own. */
export interface Places {
  readonly document: string;
  readonly folder: string;
}

/** Writes every file and removes those that an earlier run left. */
export async function writeArtifacts({ document, folder }: Places): Promise<void> {
  const artifacts = await artifactsOf((await bundleOf(document)).json);
  await mkdir(folder, { recursive: true });
  for (const name of await filesIn(folder)) if (!artifacts.has(name)) await rm(`${folder}/${name}`);
  for (const [name, text] of artifacts) await writeFile(`${folder}/${name}`, text);
}

/** Names of files that are missing, differ from what would be written, or do not belong there. */
export async function driftedFiles({ document, folder }: Places): Promise<string[]> {
  const artifacts = await artifactsOf((await bundleOf(document)).json);
  const stray = (await filesIn(folder)).filter((name) => !artifacts.has(name));
  const drifted: string[] = [];
  for (const [name, text] of artifacts) {
    const present = await readFile(`${folder}/${name}`, 'utf8').catch(() => null);
    if (present !== text) drifted.push(name);
  }
  return [...drifted, ...stray];
}

/** Plain files only: generated/sdks is written on demand by another program. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);
}

if (import.meta.main) {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const places = { document: here('../openapi.yaml'), folder: here('../generated') };
  if (process.argv.includes('--check')) {
    const drifted = await driftedFiles(places);
    for (const name of drifted) console.error(`generated/${name} differs from openapi.yaml; run npm run generate.`);
    process.exitCode = drifted.length > 0 ? 1 : 0;
  } else {
    await writeArtifacts(places);
  }
}
