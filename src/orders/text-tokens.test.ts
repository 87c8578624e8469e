import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenSamples } from '#testing/token-samples.ts';
import { textTokens } from './text-tokens.ts';

/** The published band: how far the estimate may be from a tokenizer's count. */
const BAND = { o200k: 0.25, cl100k: 0.3 };

for (const { name, text, o200k, cl100k } of tokenSamples)
  test(`the figure for ${name} is within the band of two tokenizers`, () => {
    const figure = textTokens(text);
    assert.ok(Math.abs(figure / o200k - 1) <= BAND.o200k, `${figure} for ${o200k} of o200k`);
    assert.ok(Math.abs(figure / cl100k - 1) <= BAND.cl100k, `${figure} for ${cl100k} of cl100k`);
  });

test('no text is no token, and a common word is about one', () => {
  assert.equal(textTokens(''), 0);
  assert.equal(Math.round(textTokens('tide')), 1);
  assert.equal(Math.round(textTokens('a b c d e f g h i j')), 9);
});

test('an indent costs the same however deep it is', () => {
  assert.equal(textTokens(`${' '.repeat(4)}x`), textTokens(`${' '.repeat(40)}x`));
});

test('a capital inside a word begins a new one, a capital at its start does not', () => {
  assert.equal(textTokens('Tide'), textTokens('tide'));
  assert.equal(textTokens('tideTurns'), 2 * textTokens('tide'));
});

test('lone surrogates and control characters are counted like any other', () => {
  assert.ok(Number.isFinite(textTokens('\ud83c \udf0a \u0000\u007f')));
});

test('of a long text only windows are walked, and the figure stays within two per cent', () => {
  const page = tokenSamples.map(({ text }) => text).join('\n');
  const pages = Math.ceil(8_000_000 / page.length);
  const expected = textTokens(page) * pages;
  assert.ok(Math.abs(textTokens(page.repeat(pages)) / expected - 1) < 0.02);
});
