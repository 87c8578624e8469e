import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customIdFrom, customIdText } from './custom-id.ts';

test('any string is stored as plain ASCII and read as it was', () => {
  for (const customId of ['', 'a', '"\\\n', 'é漢🎉', '\u0000', '\ud800', '\udfff\ud800', '\u007f']) {
    const text = customIdText(customId);
    assert.match(text, /^[\x20-\x7e]*$/);
    assert.equal(customIdFrom(text), customId);
  }
});
