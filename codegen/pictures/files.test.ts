import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pictureFiles } from './files.ts';

const ROOT = new URL('../../', import.meta.url);
const pictures = pictureFiles();

test('the receipt that is taken apart is the one of the README', () => {
  const [, charged] = /"charged_usd": (0\.\d+)/.exec(readFileSync(new URL('README.md', ROOT), 'utf8')) ?? [];
  assert.ok(charged && pictures.get('docs/pictures/receipt.svg')?.includes(`>$${charged}<`), charged);
});

test('every picture has a title, colors for light and dark, and loads nothing', () => {
  for (const [path, text] of pictures) {
    assert.match(text, /<title>\w/, path);
    assert.match(text, /prefers-color-scheme:dark/, path);
    assert.doesNotMatch(text.replace('xmlns="http://www.w3.org/2000/svg"', ''), /href|https?:|NaN|undefined/, path);
  }
});
