import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

const FOLDER = new URL('../../generated/console/', import.meta.url);
const KB = 1000;
/** Of all that a browser loads before it draws a chart. */
const FIRST_BYTES_MAX = 40 * KB;

describe('what a browser loads of a page before the charts is at most 40 kB, compressed', () => {
  const sizes = new Map(
    readdirSync(new URL('assets/', FOLDER)).map((name) => [
      `/assets/${name}`,
      gzipSync(readFileSync(new URL(`assets/${name}`, FOLDER))).length,
    ]),
  );
  for (const page of ['index.html', 'settings.html', 'console.html']) {
    test(page, (context) => {
      const html = readFileSync(new URL(page, FOLDER), 'utf8');
      const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
      assert.ok(first.length > 0);
      const total = first.reduce((sum, link) => sum + (sizes.get(link) ?? Number.NaN), 0);
      for (const [name, bytes] of sizes) {
        context.diagnostic(
          `${(bytes / KB).toFixed(1)} kB ${first.includes(name) ? 'at first' : 'when needed or elsewhere'}: ${name}`,
        );
      }
      context.diagnostic(`${page}: ${(total / KB).toFixed(1)} kB of ${FIRST_BYTES_MAX / KB} kB at first`);
      assert.ok(total <= FIRST_BYTES_MAX, `${total} bytes`);
    });
  }
});
