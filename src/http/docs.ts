/**
 * The pages of docs/ at /docs, with a search. `npm run generate` writes them to generated/docs/; a page is put into its
 * frame when it is first asked for, so nothing is read at start, and nothing of Markdown is known here. Pictures are
 * served from docs/ itself. The reference beside them is in reference.ts.
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

/** Serves /docs and the reference; passes on the rest. `market` says whether there is a market page to link to. */
export function docsRouter({ market }: { readonly market: boolean }): Router {
  return Router().use('/docs/reference', referenceRouter()).use(pages(market));
}

function pages(market: boolean): RequestHandler {
  let addresses: ReadonlyMap<string, () => KeptFile> | null = null;
  const kept = new Map<string, KeptFile>();
  return (request, response, next) => {
    addresses ??= served(market);
    const address = request.path.replace(/(?:\.md)?\/?$/, '');
    const make = addresses.get(address);
    if (!make || (request.method !== 'GET' && request.method !== 'HEAD')) {
      next();
      return;
    }
    const file = kept.get(address) ?? make();
    kept.set(address, file);
    void file(request, response);
  };
}

/** Everything that is served, by its address: other addresses cannot be requested. */
function served(market: boolean): ReadonlyMap<string, () => KeptFile> {
  const frame = frameOf(market);
  const file = (path: string, caching: string, protection: Readonly<Record<string, string>>) => () =>
    keptFile(readFileSync(path), { type: mediaTypeOf(path), caching, protection });
  const page = (name: string, address: string) => () => {
    const html = framed(frame, address, readFileSync(`${GENERATED}pages${name}`, 'utf8'));
    return keptFile(Buffer.from(html), { type: mediaTypeOf(name), caching: CACHING, protection: PROTECTION });
  };
  return new Map([
    ...globSync('**/*.html', { cwd: `${GENERATED}pages` }).map((name) => {
      const address = `/${name.replace(/\.html$/, '')}`;
      return [address, page(`/${name}`, address)] as const;
    }),
    ...globSync('assets/*', { cwd: GENERATED }).map(
      (name) => [`/docs/${name}`, file(GENERATED + name, FOR_EVER, PROTECTION)] as const,
    ),
    ['/docs/search.json', file(`${GENERATED}search.json`, CACHING, PROTECTION)] as const,
    ...globSync('docs/**/*.{svg,png}', { cwd: ROOT }).map(
      (name) => [`/${name}`, file(ROOT + name, CACHING, PICTURE)] as const,
    ),
  ]);
}

function frameOf(market: boolean): string {
  const frame = readFileSync(`${GENERATED}frame.html`, 'utf8');
  return market ? frame : frame.replace(/<a class="tab" href="\/">.*?<\/a> /, '');
}

/** A page in its frame, which marks it in the navigation and takes its title. */
function framed(frame: string, address: string, page: string): string {
  const title = (/<h1[^>]*>(.*)<\/h1>/.exec(page)?.[1] ?? '').replaceAll(/<[^>]+>/g, '');
  return frame
    .replace(/<title>.*<\/title>/, () => `<title>${title} · Sluice documentation</title>`)
    .replace(`<li><a href="${address}">`, `<li><a href="${address}" aria-current="page">`)
    .replace('<!--page-->', () => page);
}
