/**
 * What the documents promise and the runner holds the programs to: the steps that sdk-tests/README.md lists, and the
 * program that a client's README shows.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const SCENARIO = join(import.meta.dirname, '../../sdk-tests/README.md');

/** Names of the steps of the scenario, in order: the bold words of the numbered list. */
export async function stepsOf(path = SCENARIO): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map((match) => match[1] ?? '');
}

/** The first program in a Markdown text that is marked as `language`. Throws when there is none. */
export function programOf(markdown: string, language: string): string {
  const match = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(markdown);
  if (match?.[1] === undefined) throw new Error(`There is no program in ${language}.`);
  return match[1];
}
