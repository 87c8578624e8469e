/**
 * The pages for browsers: `/`, `/settings`, `/console`, and the files that they need below `/assets/`, built from
 * console/ into generated/console/. Nothing is read before the first request for a page. Names of assets contain a hash
 * of their content, so browsers keep them for ever; each is compressed once and kept.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { FOR_EVER, type KeptFile, keptFile, mediaTypeOf } from './kept-file.ts';
import { pathOf } from './request-context.ts';

interface PagesOptions {
  /** The market as HTML: what a reader without JavaScript sees, and everybody until the script runs. */
  readonly market: () => string;
  /** Whether there are pages for those who sign in. */
  readonly members: boolean;
}

/** Each answers GET and HEAD, or returns false for a request that is not its own. */
export interface Pages {
  /** A page or a file of one. `/` is for callers that do not prefer JSON. */
  readonly known: (request: Request, response: ServerResponse) => boolean;
  /** A page that says so, with 404, to a browser at an address that is nobody's. */
  readonly nothing: (request: Request, response: ServerResponse) => boolean;
}

/** The content security policy of pages: scripts from files of this server, what is `loaded` besides, and no frame around. */
export function pagePolicy(forms: "'self'" | "'none'", ...loaded: string[]): string {
  const rest = ["connect-src 'self'", "base-uri 'none'", `form-action ${forms}`, "frame-ancestors 'none'"];
  return ["default-src 'none'", "script-src 'self'", ...loaded, ...rest].join('; ');
}

/**
 * No script and no style but from files of this server, and no frame around it. The few headers that helmet would add
 * besides are for browsers of the past.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy("'self'", "style-src 'self'", "font-src 'self'", "img-src 'self' data:"),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const FOLDER = new URL('../../generated/console/', import.meta.url);
/** Asked for again each time, with its ETag. */
const HTML = { type: 'text/html; charset=utf-8', caching: 'no-cache', protection: PAGE_HEADERS };
/** The pages of those who sign in. Payment providers lead back to the second. */
const MEMBER_PAGES = new Map<string, 'settings' | 'console'>([
  ['/settings', 'settings'],
  ['/settings/billing', 'settings'],
  ['/console', 'console'],
]);
/** Where the market goes. */
const APP = '<div id="app">';

/** The pages of a gateway. Read errors of a damaged installation are thrown at the first request. */
export function createPages({ market, members }: PagesOptions): Pages {
  let read: ReturnType<typeof pageFiles> | null = null;
  const files = () => (read ??= pageFiles());
  const known: Pages['known'] = (request, response) => {
    const path = pathOf(request.url);
    const own = members ? MEMBER_PAGES.get(path.replace(/\/$/, '')) : undefined;
    if (path !== '/' && !own && !path.startsWith('/assets/')) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    // What asks for JSON has meant another address: it gets the sentence of the API.
    if (path === '/' && request.accepts(['html', 'json']) !== 'html') return false;
    const page = own ? files()[own] : path === '/' ? files().page(market()) : files().asset(path);
    if (!page) return false;
    void page(request, response);
    return true;
  };
  const nothing: Pages['nothing'] = (request, response) => {
    if (!isBrowser(request)) return false;
    void files().nothing(request, response);
    return true;
  };
  return { known, nothing };
}

/** Whether the request is for a page: no client of the API asks for HTML by its name. */
export function isBrowser({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '');
}

function pageFiles() {
  const html = readFileSync(new URL('index.html', FOLDER), 'utf8');
  const at = html.indexOf(APP) + APP.length;
  const assets = readdirSync(new URL('assets/', FOLDER)).map((name) => {
    const bytes = readFileSync(new URL(`assets/${name}`, FOLDER));
    return [
      `/assets/${name}`,
      keptFile(bytes, { type: mediaTypeOf(name), caching: FOR_EVER, protection: PAGE_HEADERS }),
    ] as const;
  });
  const byPath = new Map<string, KeptFile>(assets);
  let shown: { readonly market: string; readonly send: KeptFile } | null = null;
  return {
    settings: keptFile(readFileSync(new URL('settings.html', FOLDER)), HTML),
    console: keptFile(readFileSync(new URL('console.html', FOLDER)), HTML),
    nothing: keptFile(readFileSync(new URL('nothing.html', FOLDER)), {
      ...HTML,
      status: 404,
      vary: 'accept, accept-encoding',
    }),
    asset: (path: string) => byPath.get(path) ?? null,
    /** The same sender while the market is the same, so that it is compressed once for all who ask then. */
    page(market: string) {
      if (shown?.market !== market) {
        const bytes = Buffer.from(html.slice(0, at) + market + html.slice(at));
        shown = { market, send: keptFile(bytes, { ...HTML, vary: 'accept, accept-encoding' }) };
      }
      return shown.send;
    },
  };
}
