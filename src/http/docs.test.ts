import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import express from 'express';
import { startFake } from '#testing/fake-api.ts';
import { listening } from '#testing/listening.ts';
import { docsRouter } from './docs.ts';

const ROOT = join(import.meta.dirname, '../..');
const fake = await startFake();
after(() => fake.stop());

const get = (path: string, init?: RequestInit) => fetch(fake.url + path, init);
const textOf = async (path: string) => (await get(path)).text();
/** Where each page is served. */
const pages = [
  { path: 'CONTRIBUTING.md', address: '/docs/change/contributing' },
  { path: 'SECURITY.md', address: '/docs/change/security' },
  ...globSync('docs/**/*.md', { cwd: ROOT }).map((path) => ({
    path,
    address: `/${path.replace(/(\/README)?\.md$/, '')}`,
  })),
];
const linksOf = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);

test('every page of docs/, CONTRIBUTING.md and SECURITY.md is served, with its title', async () => {
  assert.ok(pages.length > 20);
  for (const { address } of pages) {
    const page = await get(address);
    const html = await page.text();
    assert.equal(page.status, 200, address);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const title = address === '/docs' ? /<title>Sluice documentation</ : /<title>\S.* · Sluice documentation</;
    assert.match(html, title, address);
    assert.match(html, /<h1 id="[^"]+">/, address);
  }
});

test('the navigation has every page except single decisions, and marks the page that is shown', async () => {
  const html = await textOf('/docs/sell/configuration');
  const [navigation = ''] = /<nav class="pages".*?<\/nav>/s.exec(html) ?? [];
  const linked = new Set(linksOf(navigation));
  const missing = pages.filter(
    ({ path, address }) => !linked.has(address) && address !== '/docs' && !path.startsWith('docs/decisions/0'),
  );
  assert.deepEqual(missing, []);
  assert.deepEqual(navigation.match(/<a href="[^"]+" aria-current="page">/g), [
    '<a href="/docs/sell/configuration" aria-current="page">',
  ]);
});

test('links and pictures of pages lead to what is served, and to headings there', async () => {
  const broken = [];
  for (const { address } of pages) {
    const html = await textOf(address);
    for (const link of new Set(linksOf(html))) {
      const [path, anchor] = link.split('#');
      if (/^(https?|mailto):/.test(link) || path === '/') continue;
      const target = path === '' ? html : await textOf(path ?? '');
      if (target.includes('"not_found"') || (anchor && !target.includes(`id="${anchor}"`)))
        broken.push(`${address}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('a page is found with its ending and with a slash, and is not sent again unchanged', async () => {
  for (const path of ['/docs', '/docs/', '/docs/buy/errors.md', '/docs/buy/errors/'])
    assert.equal((await get(path)).status, 200, path);
  const etag = (await get('/docs')).headers.get('etag') ?? '';
  assert.equal((await get('/docs', { headers: { 'if-none-match': etag } })).status, 304);
});

test('what is searched has each page and each heading, with an address that is served', async () => {
  const sections: { at: string; heading: string; text: string }[] = JSON.parse(await textOf('/docs/search.json'));
  const found = new Set(sections.map(({ at }) => at));
  assert.deepEqual(
    pages.filter(({ address }) => !found.has(address)),
    [],
  );
  const errors = await textOf('/docs/buy/errors');
  const headings = [...errors.matchAll(/<h[2-6] id="([^"]+)"/g)].map(([, id]) => `/docs/buy/errors#${id}`);
  assert.ok(headings.length > 1);
  assert.deepEqual(
    headings.filter((at) => !found.has(at)),
    [],
  );
  assert.ok(sections.some(({ text }) => text.includes('insufficient_balance')));
});

test('pages load scripts and styles only from files of this server, and pictures load nothing', async () => {
  const page = await get('/docs/understand/market');
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  const loaded = linksOf((await page.text()).replaceAll(/<a [^>]*>/g, ''));
  assert.ok(loaded.length > 2);
  for (const link of loaded) {
    assert.match(link, /^\/docs\//);
    assert.equal((await get(link)).status, 200, link);
  }
  const picture = await get('/docs/understand/market.svg');
  assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
  assert.match(picture.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'unsafe-inline';/);
});

test('nothing else is served, and no path leads out of docs/', async () => {
  const paths = [
    '/docs/frame.html',
    '/docs/pages/docs.html',
    '/docs/assets/',
    '/docs/buy',
    '/docs/..%2fREADME',
    '/docs/%2e%2e/package.json',
    '/docs/buy/..%2f..%2fREADME.md',
    '/docs/../README.md',
    '/docs//etc/passwd',
    '/docsx',
  ];
  for (const path of paths) assert.equal((await get(path)).status, 404, path);
});

test('the pages take GET and HEAD only', async () => {
  const head = await get('/docs/buy/errors', { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.equal((await get('/docs/buy/errors', { method: 'POST' })).status, 404);
});

test('pages that are written again under a running gateway are served as they are now; files that are gone are 404', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
  after(() => rm(folder, { recursive: true }));
  await cp(join(ROOT, 'generated/docs'), folder, { recursive: true });
  const app = express().use(docsRouter({ market: false, folder: `${folder}/` }));
  const { url, close } = await listening(createServer(app));
  after(close);
  const html = async () => (await fetch(`${url}/docs`)).text();
  const styleOf = (page: string) => /\/docs\/(assets\/[^"]+\.css)/.exec(page)?.[1] ?? '';
  const style = styleOf(await html());
  const next = style.replace('.css', 'x.css');
  await rename(join(folder, style), join(folder, next));
  await rm(join(folder, 'pages/docs/start.html'));
  const frame = join(folder, 'frame.html');
  await writeFile(frame, (await readFile(frame, 'utf8')).replace(style, next));
  assert.equal((await fetch(`${url}/docs/${style}`)).status, 404);
  assert.equal((await fetch(`${url}/docs/start`)).status, 404);
  assert.equal(styleOf(await html()), next);
  assert.equal((await fetch(`${url}/docs/${next}`)).status, 200);
  for (const gone of ['frame.html', 'pages/docs/buy/errors.html']) await rm(join(folder, gone));
  assert.equal((await fetch(`${url}/docs/buy/errors`)).status, 404);
});

test('a gateway without a market page has no link to one', async () => {
  assert.ok(!linksOf(await textOf('/docs')).includes('/'));
});
