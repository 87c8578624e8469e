import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customId } from './order.ts';

test('any string is stored as plain ASCII and read as it was', () => {
  for (const id of ['', 'a', '"\\\n', 'é漢🎉', '\u0000', '\ud800', '\udfff\ud800', '\u007f']) {
    const stored = customId.bind(id);
    assert.match(String(stored), /^[\x20-\x7e]*$/);
    assert.equal(customId(stored), id);
  }
});
