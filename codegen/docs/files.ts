/**
 * The pages of docs/, CONTRIBUTING.md and SECURITY.md as the gateway serves them, in memory, to be written to generated/docs/ or compared
 * with it: the frame around every page, the inner part of each page, and what is searched. The frame is apart from the
 * pages, so that a page that is added changes one file and not all.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pageFiles } from '../console.ts';
import { addressOf, ROOT_PAGES, renderPage } from './markdown.ts';
import { navigationOf } from './navigation.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Files of generated/docs by name: `frame.html`, `assets/…`, `pages/…`, `search.json`. */
export async function docsFiles(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const built = await pageFiles(['docs.html'], '/docs/');
  const read = (path: string) => readFileSync(`${ROOT}/${path}`, 'utf8');
  const paths = [...ROOT_PAGES.keys(), ...globSync('docs/**/*.md', { cwd: ROOT })].sort();
  const pages = paths.map((path) => ({ path, ...renderPage(path, read(path)) }));
  // A line for each part, so that changes of two pages merge.
  const sections = pages.flatMap((page) => page.sections).map((section) => JSON.stringify(section));
  const frame = String(built.get('docs.html')).replace('<!--pages-->', () => navigationOf(read('docs/README.md')));
  return new Map([
    ...[...built].filter(([name]) => name !== 'docs.html'),
    ['frame.html', frame],
    ['search.json', `[\n${sections.join(',\n')}\n]\n`],
    ...pages.map(({ path, html }) => [fileNameOf(path), html] as const),
  ]);
}

/** `docs/buy/clients.md` as `pages/docs/buy/clients.html`: the address with an ending. */
function fileNameOf(path: string): string {
  return `pages${addressOf(path)}.html`;
}
