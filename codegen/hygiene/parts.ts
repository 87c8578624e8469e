/** Unused parts, which the rules for the whole document cannot find. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ApiDocument, Json } from '../document.ts';

/**
 * Files in `folder` that were not read, and components in them that nothing refers to; one sentence each. `exclude` are
 * patterns of files that belong to another document.
 */
export function unusedParts(
  folder: string,
  read: ReadonlySet<string>,
  { root }: ApiDocument,
  exclude: readonly string[] = [],
): string[] {
  const names = new Set(Object.values(root.components as Json).flatMap((table) => Object.keys(table as Json)));
  return globSync('**/*.yaml', { cwd: folder, exclude: [...exclude] }).flatMap((file) => {
    if (!read.has(join(folder, file))) return [`openapi/${file} is not part of the document.`];
    if (file.startsWith('paths/') || file === 'values.yaml') return [];
    const components = Object.keys(parse(readFileSync(join(folder, file), 'utf8')) as Json);
    return components.filter((name) => !names.has(name)).map((name) => `openapi/${file}: nothing refers to ${name}.`);
  });
}
