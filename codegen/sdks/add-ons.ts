/**
 * Writes the add-ons for official clients: packages by hand in add-ons/, each with the files that its language shares, the
 * version of the document and the names of packages.json. They are published beside the client, on which they depend.
 */
import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import packages from './packages.json' with { type: 'json' };

const SOURCES = join(import.meta.dirname, 'add-ons');
const LICENSE = join(import.meta.dirname, '../../LICENSE');

/** The names of the packages, without the scope or the prefix of the client's name. */
export const addOns = { typescript: ['openai', 'anthropic'], python: ['openai', 'anthropic'] } as const;

type Language = keyof typeof addOns;

/** The folder of an add-on among the clients. */
export function addOnFolder(language: Language, name: string, target: string): string {
  return join(target, `${language}-add-ons`, name);
}

/** Writes the add-ons of a language, and removes the earlier content of their folders. */
export async function writeAddOns(language: Language, version: string, target: string): Promise<void> {
  for (const name of addOns[language]) {
    const folder = addOnFolder(language, name, target);
    await rm(folder, { recursive: true, force: true });
    await copyNamed(join(SOURCES, language, name), folder, version);
    await copyNamed(join(SOURCES, language, 'shared'), join(folder, sharedFolder(language, name)), version);
    await copyFile(LICENSE, join(folder, 'LICENSE'));
  }
}

function sharedFolder(language: Language, name: string): string {
  return language === 'typescript' ? 'src' : `sluice_${name}`;
}

/** Copies text files, with the published names in place of those that the sources have, and `{{version}}` and the like replaced. */
async function copyNamed(from: string, to: string, version: string): Promise<void> {
  const scope = packages.npm.replace(/client$/, '');
  const facts: Readonly<Record<string, string>> = { ...packages, version };
  for (const path of globSync('**/*.*', { cwd: from })) {
    const text = (await readFile(join(from, path), 'utf8'))
      .replaceAll('@sluice/', scope)
      .replaceAll('sluice-client', packages.pypi)
      .replaceAll(/\{\{(\w+)\}\}/g, (mark, name: string) => facts[name] ?? mark);
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), text);
  }
}
