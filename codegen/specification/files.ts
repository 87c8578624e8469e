/** The files that are made of the specification: the index of its sentences, the map of their proofs, and the departures. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { departuresOf } from './departures.ts';
import { departuresPage, mapPage } from './pages.ts';
import { proofsIn } from './proofs.ts';
import { type SentenceIndex, sentencesOf } from './sentences.ts';

const ROOT = new URL('../../', import.meta.url);
const INDEX = 'generated/specification/sentences.json';
const MAP = 'generated/specification/map.md';
const MARKED = ['src/**/*.test.ts', 'src/conformance/checks/*.ts', 'contract-tests/**/*.ts', 'console/tests/*.test.ts'];

/** By path. `document` is the published interface document. Throws for a mark of a sentence that does not exist. */
export async function specificationFiles(document: string): Promise<ReadonlyMap<string, string>> {
  const known = JSON.parse(await read(INDEX).catch(() => '[]')) as SentenceIndex;
  const sentences = sentencesOf(await read('docs/specification.md'), known);
  const files = globSync(MARKED, { cwd: fileURLToPath(ROOT) }).sort();
  const proofs = (await Promise.all(files.map(async (file) => proofsIn(file, await read(file))))).flat();
  const marks = await read('codegen/specification/marks.yaml');
  const found = departuresOf(document, await read('src/config/schema.yaml'), marks);
  const ids = new Set(sentences.map(({ id }) => id));
  const marked = [...proofs.flatMap(({ sentences, file }) => sentences.map((id) => [id, file] as const))];
  for (const { sentence, what } of [...found.departures, ...found.choices]) marked.push([sentence, what]);
  for (const [id, why] of Object.entries(found.nothing)) marked.push([id, why]);
  for (const [id, place] of marked)
    if (!ids.has(id)) throw new Error(`The specification has no sentence ${id}: ${place}`);
  const parts = { ...found, sentences, proofs };
  return new Map([
    [INDEX, `[\n${sentences.map((sentence) => JSON.stringify(sentence)).join(',\n')}\n]\n`],
    [MAP, mapPage(parts)],
    ['docs/understand/departures.md', departuresPage(parts)],
  ]);
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8');
}
