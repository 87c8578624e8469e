import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { facts, table, timeText } from './output.ts';

test('a table lines its columns up', () => {
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

test('a table without rows is its head', () => {
  assert.equal(stripVTControlCharacters(table(['ID', 'NAME'], [])), 'ID  NAME');
});

test('facts line their values up', () => {
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

test('a time is written in UTC', () => {
  assert.equal(timeText(Date.UTC(2026, 0, 31, 14, 5, 9)), '2026-01-31 14:05:09Z');
});
