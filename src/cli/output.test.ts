import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { facts, table, timeText } from './output.ts';

test('a table aligns its columns', () => {
  const text = stripVTControlCharacters(
    table(
      ['ID', 'NAME'],
      [
        ['a', 'long name'],
        ['longer', 'b'],
      ],
    ),
  );
  assert.equal(text, 'ID      NAME\na       long name\nlonger  b');
});

test('a table without rows is its header', () => {
  assert.equal(stripVTControlCharacters(table(['ID', 'NAME'], [])), 'ID  NAME');
});

test('facts align their values', () => {
  assert.equal(
    stripVTControlCharacters(
      facts([
        ['a', '1'],
        ['bcd', '2'],
      ]),
    ),
    'a    1\nbcd  2',
  );
});

test('control and direction characters of a name are shown as escapes, in tables and facts', () => {
  const name = 'a\u001b[2J\u009b\u202eb\nü漢';
  const shown = 'a\\u001b[2J\\u009b\\u202eb\\u000aü漢';
  assert.equal(stripVTControlCharacters(table(['NAME'], [[name]])), `NAME\n${shown}`);
  assert.equal(stripVTControlCharacters(facts([['name', name]])), `name  ${shown}`);
});

test('a time is written in UTC', () => {
  assert.equal(timeText(Date.UTC(2026, 0, 31, 14, 5, 9)), '2026-01-31 14:05:09Z');
});
