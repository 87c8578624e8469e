/**
 * The pages for browsers: `/`, `/settings`, `/console`, and the files that they need below `/assets/`, built from
 * console/ into generated/console/. Nothing is read before the first request for a page. Names of assets contain a hash
 * of their content, so browsers keep them for ever; each is compressed once and kept.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request } from 'express';
import { tagOf } from '#handlers/conditional.ts';
import { pathOf } from './request-context.ts';

interface PagesOptions {
  /** The market as HTML: what a reader without JavaScript sees, and everybody until the script runs. */
  readonly market: () => string;
  /** Whether there are pages for those who sign in. */
  readonly members: boolean;
}

/**
 * Answers a request for a page, or returns false for a request that is none: another address or method, or `/` from a
 * caller that does not accept HTML.
 */
export type Pages = (request: Request, response: ServerResponse) => boolean;

/**
 * No script and no style but from files of this server, and no frame around it. The few headers that helmet would add
 * besides are for browsers of the past.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const FOLDER = new URL('../../generated/console/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** A year, which is the longest that caches honor. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Asked for again each time, with its ETag. */
const HTML = { type: 'text/html; charset=utf-8', caching: 'no-cache' };
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
  let files: PageFiles | null = null;
  return (request, response) => {
    const path = pathOf(request.url);
    const own = members ? MEMBER_PAGES.get(path.replace(/\/$/, '')) : undefined;
    if (path !== '/' && !own && !path.startsWith('/assets/')) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    // `*` alone is what tools send that meant another address: they get the sentence of the API.
    if (path === '/' && !/\btext\/html\b/i.test(request.headers.accept ?? '')) return false;
    files ??= new PageFiles();
    const page = own ? files[own] : path === '/' ? files.page(market()) : files.asset(path);
    if (!page) return false;
    void page.send(request, response);
    return true;
  };
}

class PageFiles {
  readonly #before: string;
  readonly #after: string;
  readonly #assets: ReadonlyMap<string, Body>;
  readonly settings = new Body(readFileSync(new URL('settings.html', FOLDER)), HTML);
  readonly console = new Body(readFileSync(new URL('console.html', FOLDER)), HTML);
  #page: { readonly market: string; readonly body: Body } | null = null;

  constructor() {
    const html = readFileSync(new URL('index.html', FOLDER), 'utf8');
    const at = html.indexOf(APP) + APP.length;
    this.#before = html.slice(0, at);
    this.#after = html.slice(at);
    const assets = readdirSync(new URL('assets/', FOLDER)).map((name): [string, Body] => {
      const bytes = readFileSync(new URL(`assets/${name}`, FOLDER));
      return [`/assets/${name}`, new Body(bytes, { type: TYPES[extname(name)] ?? 'text/plain', caching: FOR_EVER })];
    });
    this.#assets = new Map(assets);
  }

  asset(path: string): Body | null {
    return this.#assets.get(path) ?? null;
  }

  /** The same body while the market is the same, so that it is compressed once for all who ask then. */
  page(market: string): Body {
    if (this.#page?.market !== market) {
      const bytes = Buffer.from(this.#before + market + this.#after);
      this.#page = { market, body: new Body(bytes, { ...HTML, vary: 'accept, accept-encoding' }) };
    }
    return this.#page.body;
  }
}

interface How {
  readonly type: string;
  readonly caching: string;
  readonly vary?: string;
}

/**
 * Bytes that are sent to many, compressed at most once in each coding. A server of files such as sirv would not do: it
 * sends compressed files that lie on the disk, tags them by their time, and the page at `/` is no file.
 */
class Body {
  readonly #bytes: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #etag: string;
  readonly #compressed: { br?: Promise<Buffer>; gzip?: Promise<Buffer> } = {};

  constructor(bytes: Buffer, { type, caching, vary = 'accept-encoding' }: How) {
    this.#bytes = bytes;
    this.#etag = tagOf(bytes);
    this.#headers = { ...PAGE_HEADERS, 'content-type': type, 'cache-control': caching, vary, etag: this.#etag };
  }

  /** Never rejects: what cannot be compressed is sent as it is. */
  async send(request: Request, response: ServerResponse): Promise<void> {
    if (request.headers['if-none-match'] === this.#etag) {
      response.writeHead(304, this.#headers).end();
      return;
    }
    // Compressed once, so the smallest that the caller takes is the best, whichever it names first.
    const coding = CODINGS.find((name) => request.acceptsEncodings(name));
    const compressed = coding ? await this.#in(coding).catch(() => null) : null;
    const body = compressed ?? this.#bytes;
    response.writeHead(200, {
      ...this.#headers,
      ...(compressed && coding ? { 'content-encoding': coding } : {}),
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #in(coding: (typeof CODINGS)[number]): Promise<Buffer> {
    this.#compressed[coding] ??= compressions[coding](this.#bytes);
    return this.#compressed[coding];
  }
}

const CODINGS = ['br', 'gzip'] as const;
const compressions = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };
