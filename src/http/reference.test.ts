import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFake } from '#testing/fake-api.ts';

const fake = await startFake();
after(() => fake.stop());

test('the reference needs nothing but this server', async () => {
  const page = await fetch(`${fake.url}/docs/reference`);
  const html = await page.text();
  assert.equal(page.status, 200);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
  assert.equal(links.length, 8);
  for (const link of links) {
    assert.match(link, /^\/(docs(\/|$)|$)/);
    // The fake gateway has no market.
    if (link === '/') continue;
    const file = await fetch(fake.url + link);
    assert.equal(file.status, 200, link);
    assert.ok((await file.arrayBuffer()).byteLength > 0);
  }
  assert.doesNotMatch(html, /<script>|https?:/);
  assert.match(await (await fetch(`${fake.url}/docs/reference/start.js`)).text(), /url: '\/openapi\.json'/);
});

test('every response of the reference allows scripts only from files of this server', async () => {
  for (const path of ['/docs/reference', '/docs/reference/', '/docs/reference/swagger-ui-bundle.js']) {
    const { headers } = await fetch(fake.url + path);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self';/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('other files of the package, and paths out of it, are not served', async () => {
  const paths = [
    '/docs/reference/package.json',
    '/docs/reference/index.html',
    '/docs/reference/..%2fpackage.json',
    '/docs/reference/%2e%2e/package.json',
    '/docs/referencex',
  ];
  for (const path of paths) assert.equal((await fetch(fake.url + path)).status, 404, path);
});

test('the reference takes GET and HEAD only', async () => {
  assert.equal((await fetch(`${fake.url}/docs/reference`, { method: 'HEAD' })).status, 200);
  assert.equal((await fetch(`${fake.url}/docs/reference`, { method: 'POST' })).status, 404);
});

test('the reference is compressed, and is not sent again unchanged', async () => {
  const path = `${fake.url}/docs/reference/swagger-ui-bundle.js`;
  const script = await fetch(path, { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(script.headers.get('content-encoding'), 'gzip');
  assert.ok(Number(script.headers.get('content-length')) < 600_000);
  const etag = script.headers.get('etag') ?? '';
  assert.equal((await fetch(path, { headers: { 'if-none-match': etag } })).status, 304);
});
