import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { indexOf } from '../src/docs/search.ts';

const search = indexOf(JSON.parse(readFileSync(new URL('../../generated/docs/search.json', import.meta.url), 'utf8')));

/** Questions of readers, and the page that answers each. */
const QUESTIONS: readonly (readonly [string, RegExp])[] = [
  ['insufficient_balance', /^\/docs\/buy\/errors/],
  ['Claude Code', /^\/docs\/buy\/clients/],
  ['how do I verify a receipt', /^\/docs\/buy\//],
  ['what is a quote', /^\/docs\/(start|understand\/market)/],
  ['kubernetes', /^\/docs\/sell\/deploy/],
  ['prometheus alert', /^\/docs\/sell\//],
  ['invite a member', /^\/docs\/sell\//],
  ['refund a payment', /^\/docs\/sell\//],
  ['rate limits', /^\/docs\/(sell\/configuration|buy\/errors)/],
  ['how do I add an operation', /^\/docs\/change\//],
];

describe('the search of the documentation', () => {
  for (const [question, page] of QUESTIONS)
    test(`finds the page for “${question}” first`, () => assert.match(search(question)[0]?.section.at ?? '', page));

  test('finds a word with a typing error, and the beginning of a word', () => {
    assert.match(search('invte member')[0]?.section.at ?? '', /^\/docs\/sell\//);
    assert.match(search('kubern')[0]?.section.at ?? '', /^\/docs\/sell\/deploy/);
  });

  test('shows at most three parts of one page', () => {
    const pages = Object.values(Object.groupBy(search('order'), ({ section }) => section.page));
    assert.ok(pages.length > 4);
    assert.ok(pages.every((parts) => (parts?.length ?? 0) <= 3));
  });

  test('finds nothing for words that are nowhere, or say nothing', () => {
    assert.deepEqual(search('zzzzzz'), []);
    assert.deepEqual(search('how do I'), []);
  });
});
