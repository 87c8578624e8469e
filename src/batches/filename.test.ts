import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachment, cleanFilename } from './filename.ts';

test('a plain name stays as it is, whatever its language', () => {
  for (const name of ['batch.jsonl', 'my file (2).jsonl', 'größe 🐟.jsonl', '"quoted".jsonl', '.hidden']) {
    assert.equal(cleanFilename(name), name);
  }
});

test('folders are cut off, of either kind', () => {
  assert.equal(cleanFilename('/home/me/in.jsonl'), 'in.jsonl');
  assert.equal(cleanFilename('C:\\Users\\me\\in.jsonl'), 'in.jsonl');
  assert.equal(cleanFilename('../../etc/passwd'), 'passwd');
  assert.equal(cleanFilename('a\n/b'), 'b');
});

test('line breaks, other control characters and marks of text direction are removed', () => {
  assert.equal(cleanFilename('in\r\nSet-Cookie: x.jsonl'), 'inSet-Cookie: x.jsonl');
  assert.equal(cleanFilename('in\u0000\u007f\u0085\u2028.jsonl'), 'in.jsonl');
  assert.equal(cleanFilename('evil\u202elnosj.exe'), 'evillnosj.exe');
  assert.equal(cleanFilename('half\ud800.jsonl'), 'half\ufffd.jsonl');
});

test('a name that nothing is left of becomes the default one', () => {
  for (const name of [null, '', ' ', '.', '..', 'folder/', '\r\n', '../..']) {
    assert.equal(cleanFilename(name), 'upload.jsonl');
  }
});

test('a long name is cut to 255 characters, never inside a character', () => {
  assert.equal(cleanFilename('x'.repeat(300)), 'x'.repeat(255));
  assert.equal(cleanFilename('🐟'.repeat(300)), '🐟'.repeat(255));
});

test('a plain name is offered as it is', () => {
  assert.equal(attachment('in (2).jsonl'), 'attachment; filename="in (2).jsonl"');
});

test('what a quoted name cannot hold is replaced there, and a second name has it in full', () => {
  assert.equal(attachment('größe.jsonl'), `attachment; filename="gr__e.jsonl"; filename*=UTF-8''gr%C3%B6%C3%9Fe.jsonl`);
  assert.equal(attachment('a"b\\c%d'), `attachment; filename="a_b_c_d"; filename*=UTF-8''a%22b%5Cc%25d`);
  assert.equal(attachment("'()*🐟"), `attachment; filename="'()*_"; filename*=UTF-8''%27%28%29%2A%F0%9F%90%9F`);
});

test('no name ends the header or the line', () => {
  for (const name of ['a"; x="b', 'a\r\nx: y', '\u0000']) {
    assert.match(attachment(name), /^attachment; filename="[^"\\\r\n]*"(; filename\*=UTF-8''[\w.!~%-]*)?$/);
  }
});
