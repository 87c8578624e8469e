/**
 * The pages of docs/ at /docs, with a search. `npm run generate` writes them to generated/docs/; a page is put into its
 * frame when it is first asked for, so nothing is read at start, and nothing of Markdown is known here. If a file is gone
 * because they were written again meanwhile, the new ones are served from then on. Pictures are served from docs/ itself. The
 * reference beside them is in reference.ts.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import { FOR_EVER, type KeptFile, keptFile, mediaTypeOf } from './kept-file.ts';
import { PAGE_HEADERS, pagePolicy } from './pages.ts';
import { referenceRouter } from './reference.ts';

const GENERATED = fileURLToPath(new URL('../../generated/docs/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROTECTION = {
  ...PAGE_HEADERS,
  'content-security-policy': pagePolicy("'none'", "style-src 'self'", "font-src 'self'", "img-src 'self' data:"),
};
/** Pictures follow the colors that the reader prefers by a style of their own. */
const PICTURE = {
  ...PAGE_HEADERS,
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};
/** Asked for again each time, with its ETag. */
const CACHING = 'no-cache';

interface DocsOptions {
  /** Whether there is a market page to link to. */
  readonly market: boolean;
  /** Where the pages are, as `npm run generate` writes them; those of this package when absent. */
  readonly folder?: string;
}

/** Serves /docs and the reference; passes on the rest. */
export function docsRouter(options: DocsOptions): Router {
  return Router().use('/docs/reference', referenceRouter()).use(pages(options));
}

function pages(options: DocsOptions): RequestHandler {
  let files = new Map<string, KeptFile>();
  let addresses: ReturnType<typeof served> | null = null;
  const fileAt = (address: string): KeptFile | undefined => {
    addresses ??= served(options);
    const file = files.get(address) ?? addresses.get(address)?.();
    if (file) files.set(address, file);
    return file;
  };
  const forget = () => {
    files = new Map();
    addresses = null;
  };
  return (request, response, next) => {
    const address = request.path.replace(/(?:\.md)?\/?$/, '');
    const isAsked = request.method === 'GET' || request.method === 'HEAD';
    const file = isAsked ? retried(() => fileAt(address), forget) : undefined;
    if (file) void file(request, response);
    else next();
  };
}

/** What `find` finds; if a file is gone, what it finds after `forget`, and nothing if that one is gone, too. */
function retried<Found>(find: () => Found, forget: () => void): Found | undefined {
  for (let tries = 0; tries < 2; tries++) {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      forget();
    }
  }
  return undefined;
}

/** Everything that is served, by its address: other addresses cannot be requested. */
function served({ market, folder = GENERATED }: DocsOptions): ReadonlyMap<string, () => KeptFile> {
  const frame = frameOf(readFileSync(`${folder}frame.html`, 'utf8'), market);
  const file = (path: string, caching: string, protection: Readonly<Record<string, string>>) => () =>
    keptFile(readFileSync(path), { type: mediaTypeOf(path), caching, protection });
  const page = (name: string, address: string) => () => {
    const html = framed(frame, address, readFileSync(`${folder}pages${name}`, 'utf8'));
    return keptFile(Buffer.from(html), { type: mediaTypeOf(name), caching: CACHING, protection: PROTECTION });
  };
  return new Map([
    ...globSync('**/*.html', { cwd: `${folder}pages` }).map((name) => {
      const address = `/${name.replace(/\.html$/, '')}`;
      return [address, page(`/${name}`, address)] as const;
    }),
    ...globSync('assets/*', { cwd: folder }).map(
      (name) => [`/docs/${name}`, file(folder + name, FOR_EVER, PROTECTION)] as const,
    ),
    ['/docs/search.json', file(`${folder}search.json`, CACHING, PROTECTION)] as const,
    ...globSync('docs/**/*.{svg,png}', { cwd: ROOT }).map(
      (name) => [`/${name}`, file(ROOT + name, CACHING, PICTURE)] as const,
    ),
  ]);
}

function frameOf(frame: string, market: boolean): string {
  return market ? frame : frame.replace(/<a class="tab" href="\/">.*?<\/a> /, '');
}

/** A page in its frame, which marks it in the navigation and takes its title. */
function framed(frame: string, address: string, page: string): string {
  const heading = (/<h1[^>]*>(.*)<\/h1>/.exec(page)?.[1] ?? '').replaceAll(/<[^>]+>/g, '');
  const title = [...new Set([heading, 'Sluice documentation'])].join(' · ');
  return frame
    .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
    .replace(`<li><a href="${address}">`, `<li><a href="${address}" aria-current="page">`)
    .replace('<!--page-->', () => page);
}
