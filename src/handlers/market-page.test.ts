import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Listings } from '#market/listing.ts';
import { fixedListing, marketListing } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketPage } from './market-page.ts';

const BAD = `<img src=x onerror="alert('x')">&`;

function pageOf(level: { value: number }, clock = new ManualClock(), members = true): () => string {
  const listings = new Listings(
    [
      marketListing({ displayName: BAD }),
      fixedListing({ displayName: 'ebb-8b', deprecated: true }),
      marketListing({ id: 'new/b', displayName: 'New' }),
    ],
    'ebb-8b',
  );
  const snapshot = { mode: 'clearing', preview: false, degraded: false, updatedAtMs: 0, levelSeq: 1 } as const;
  const current = (model: string) => (model === 'ebb-8b' ? null : { ...snapshot, model, level: level.value });
  const ready = { degraded: (model: string) => model === 'new/b' };
  return marketPage({ listings, market: { current }, ready, clock, members });
}

test('the table has a row for each model, with four digits of each price and all of them on hover', () => {
  const html = pageOf({ value: 1_234_567_890 })();
  assert.equal([...html.matchAll(/<th scope="row">/g)].length, 3);
  assert.match(html, /<td class="number"><span title="\$1\.23456789">\$1\.235<\/span><\/td>/);
  assert.match(
    html,
    /<th scope="row">ebb-8b <span class="badge badge-deprecated">deprecated<\/span><\/th><td>fixed<\/td>/,
  );
  assert.match(html, /New <span class="badge badge-degraded">degraded<\/span><span class="id">new\/b<\/span>/);
});

test('names are shown as they are written, whatever is in them', () => {
  const html = pageOf({ value: 0 })();
  assert.match(html, /&lt;img src=x onerror=&quot;alert\(&#39;x&#39;\)&quot;&gt;&amp;/);
  assert.doesNotMatch(html, /<img/);
});

test('it leads to the account of the reader who signs in, where there is such a page', () => {
  assert.match(pageOf({ value: 1e9 })(), /<a class="tab" href="\/settings">/);
  assert.doesNotMatch(pageOf({ value: 1e9 }, new ManualClock(), false)(), /settings/);
});

test('the table is made at most once a second', async () => {
  const clock = new ManualClock();
  const level = { value: 1e9 };
  const page = pageOf(level, clock);
  const first = page();
  level.value = 2e9;
  await clock.advance(999);
  assert.equal(page(), first);
  await clock.advance(1);
  assert.match(page(), /\$2</);
});
