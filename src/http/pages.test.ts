import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { errorIn, startFake } from '#testing/fake-api.ts';
import { createPages } from './pages.ts';

let market = '<h1>A market</h1>';
const fake = await startFake({ pages: createPages({ market: () => market, members: true }) });
const without = await startFake();
const broken = await startFake({
  pages: createPages({
    members: false,
    market: () => {
      throw new Error('no market');
    },
  }),
});
after(() => Promise.all([fake.stop(), without.stop(), broken.stop()]));

/** What Chromium sends for an address that is typed. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const open = (path: string, headers: Record<string, string> = {}, url = fake.url) =>
  fetch(url + path, { headers: { ...BROWSER, ...headers } });

/** The files that a page names. */
async function assetsOf(html: string): Promise<Response[]> {
  const links = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
  assert.ok(links.length > 0);
  return Promise.all(links.map((link) => open(link)));
}

describe('the page at /', () => {
  test('is the built page with the market in it, and names only files of this server', async () => {
    const page = await open('/');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await page.text();
    assert.match(html, /<div id="app"><h1>A market<\/h1><\/div>/);
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style="|https?:/);
    for (const asset of await assetsOf(html)) assert.equal(asset.status, 200, asset.url);
  });

  test('changes with the market, and its ETag with it', async () => {
    const before = await open('/?from=mail');
    const etag = before.headers.get('etag') ?? '';
    assert.equal((await open('/', { 'if-none-match': etag })).status, 304);
    market = '<h1>Another market</h1>';
    const later = await open('/', { 'if-none-match': etag });
    assert.equal(later.status, 200);
    assert.match(await later.text(), /Another market/);
  });

  test('is for everybody who does not prefer JSON, who gets the sentence of the API; caches learn of both', async () => {
    for (const accept of ['application/json', 'application/json, text/plain;q=0.9, */*;q=0.8', 'text/plain']) {
      const answer = await open('/', { accept });
      assert.equal(answer.status, 404, accept);
      assert.match(answer.headers.get('vary') ?? '', /accept,/);
      assert.match((await errorIn(answer)).error.message, /\/docs is the documentation/);
    }
    for (const accept of ['*/*', 'text/html, application/json', 'text/*']) {
      const answer = await open('/', { accept });
      assert.equal(answer.status, 200, accept);
      assert.match(answer.headers.get('vary') ?? '', /accept,/);
    }
  });

  test('takes GET and HEAD only', async () => {
    assert.equal((await fetch(`${fake.url}/`, { method: 'HEAD', headers: BROWSER })).status, 200);
    assert.equal((await fetch(`${fake.url}/`, { method: 'POST', headers: BROWSER })).status, 404);
  });

  test('is an unknown address where there are no pages', async () => {
    for (const path of ['/', '/assets/index.js']) assert.equal((await open(path, {}, without.url)).status, 404);
  });

  test('that cannot be made is answered with 500, and the gateway goes on', async () => {
    assert.equal((await open('/', {}, broken.url)).status, 500);
    assert.equal((await open('/v1/models', {}, broken.url)).status, 200);
  });
});

describe('an address that is nobody’s', () => {
  test('is a page with 404 to a browser, which names only files of this server', async () => {
    const answer = await open('/nothing?from=mail');
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await answer.text();
    assert.match(html, /<h1>Nothing is here<\/h1>/);
    for (const asset of await assetsOf(html)) assert.equal(asset.status, 200, asset.url);
    assert.equal((await fetch(`${fake.url}/nothing`, { method: 'HEAD', headers: BROWSER })).status, 404);
  });

  test('is an error of the API to every other client, for other methods, and below what the API has', async () => {
    for (const [path, init] of [
      ['/nothing', { headers: { accept: '*/*' } }],
      ['/nothing', { method: 'POST', headers: BROWSER }],
      ['/v1/nothing', { headers: BROWSER }],
    ] as const)
      assert.equal((await errorIn(await fetch(fake.url + path, init))).error.code, 'not_found', path);
    assert.equal((await errorIn(await open('/nothing', {}, without.url))).error.code, 'not_found');
  });
});

describe('the pages of those who sign in', () => {
  const OTHERS = { '/settings': ['/settings/?from=mail', '/settings/billing?paid'], '/console': ['/console/'] };
  for (const [path, others] of Object.entries(OTHERS)) {
    test(`${path} names only files of this server, and is the same for everybody`, async () => {
      const page = await open(path);
      assert.equal(page.status, 200);
      const html = await page.text();
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style="|https?:/);
      for (const asset of await assetsOf(html)) assert.equal(asset.status, 200, asset.url);
      for (const other of others) assert.equal(await (await open(other, { accept: '*/*' })).text(), html, other);
    });

    test(`${path} is loaded by nobody who looks at the market`, async () => {
      const [market, page] = [await (await open('/')).text(), await (await open(path)).text()];
      const own = [...page.matchAll(/src="(\/assets\/[\w-]+)/g)].map(([, name = '']) => name);
      assert.ok(own.length > 0);
      for (const name of own) assert.ok(!market.includes(name), name);
    });
  }

  test('are unknown addresses where nobody may sign in', async () => {
    for (const path of Object.keys(OTHERS)) assert.equal((await open(path, {}, broken.url)).status, 404);
    for (const path of ['/settingsx', '/settings/none', '/consolex', '/console/none', '/console/billing'])
      assert.equal((await open(path)).status, 404, path);
  });
});

describe('every response of a page', () => {
  test('allows scripts and styles only from files of this server, no frames, and no guessing of types', async () => {
    const page = await open('/');
    const known = await open('/', { 'if-none-match': page.headers.get('etag') ?? '' });
    for (const { headers, url } of [page, known, await open('/settings'), await open('/console')]) {
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/, url);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
  });

  test('is compressed for those who take it, once', async () => {
    const html = await (await open('/')).text();
    const [path = ''] = /\/assets\/[^"]+\.css/.exec(html) ?? [];
    const whole = await raw(path, 'identity');
    assert.equal(whole.coding, undefined);
    assert.deepEqual(brotliDecompressSync((await raw(path, 'gzip, br')).bytes), whole.bytes);
    assert.deepEqual(gunzipSync((await raw(path, 'gzip')).bytes), whole.bytes);
    assert.deepEqual((await raw(path, 'gzip')).bytes, (await raw(path, 'gzip')).bytes);
  });
});

describe('a file of the pages', () => {
  test('may be kept for ever, because its name has a hash of its content', async () => {
    for (const asset of await assetsOf(await (await open('/')).text())) {
      assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.match(asset.url, /-[\w-]{8}\.(js|css|svg)$/);
      assert.doesNotMatch(asset.headers.get('content-type') ?? '', /plain/);
    }
  });

  test('is one of those that were built: there is no way out of the folder', async () => {
    const paths = ['/assets/', '/assets/none.js', '/assets/..%2findex.html', '/assets/%2e%2e/index.html', '/assetsx'];
    for (const path of paths) assert.equal((await open(path)).status, 404, path);
    const { status } = await raw('/assets/../index.html', 'identity');
    assert.equal(status, 404);
  });
});

/** The body as it is sent. */
function raw(path: string, accepted: string) {
  return new Promise<{ status: number | undefined; coding: string | undefined; bytes: Buffer }>((resolve, reject) => {
    const headers = { ...BROWSER, 'accept-encoding': accepted };
    get({ port: fake.port, host: '127.0.0.1', path, headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, coding: response.headers['content-encoding'], bytes });
    }).on('error', reject);
  });
}
