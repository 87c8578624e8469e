import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

const FOLDER = new URL('../../generated/console/', import.meta.url);
const KB = 1000;
/** Of all that a browser loads before it draws a chart, with the fonts. Everybody loads the first page. */
const FIRST_BYTES_MAX = {
  'index.html': 55 * KB,
  'settings.html': 75 * KB,
  'console.html': 75 * KB,
  'sign-in.html': 75 * KB,
};

describe('what a browser loads of a page before the charts is small, compressed', () => {
  const sizes = new Map(
    readdirSync(new URL('assets/', FOLDER)).map((name) => [
      `/assets/${name}`,
      gzipSync(readFileSync(new URL(`assets/${name}`, FOLDER))).length,
    ]),
  );
  for (const [page, bytesMax] of Object.entries(FIRST_BYTES_MAX)) {
    test(page, (context) => {
      const html = readFileSync(new URL(page, FOLDER), 'utf8');
      const linked = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
      const fonts = [...sizes.keys()].filter((name) => name.endsWith('.woff2'));
      assert.ok(linked.length > 0 && fonts.length === 2);
      const first = [...linked, ...fonts];
      const total = first.reduce((sum, link) => sum + (sizes.get(link) ?? Number.NaN), 0);
      for (const [name, bytes] of sizes) {
        context.diagnostic(
          `${(bytes / KB).toFixed(1)} kB ${first.includes(name) ? 'at first' : 'when needed or elsewhere'}: ${name}`,
        );
      }
      context.diagnostic(`${page}: ${(total / KB).toFixed(1)} kB of ${bytesMax / KB} kB at first`);
      assert.ok(total <= bytesMax, `${total} bytes`);
    });
  }
});
