import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProse } from './prose.ts';

const found = (path: string, text: string) =>
  checkProse([{ path, text }]).map(({ line, sentence }) => `${line}: ${sentence}`);

test('a retired word is found in comments, quoted texts, pages and descriptions', () => {
  const says = 'says whoever: name them: the caller, the operator, the reader';
  assert.deepEqual(found('src/a.ts', '/** A file. */\n// Whoever calls.\n'), [`2: ${says}`]);
  assert.deepEqual(found('src/a.ts', "throw new Error('Ask whoever runs it.');"), [`1: ${says}`]);
  assert.deepEqual(found('src/a.test.ts', "test('whoever asks is answered', () => {});"), [`1: ${says}`]);
  assert.deepEqual(found('console/src/a.tsx', '<p>\n  Ask whoever runs it.\n</p>'), [`2: ${says}`]);
  assert.deepEqual(found('openapi/a.yaml', 'description: Whoever asks.'), [`1: ${says}`]);
  assert.deepEqual(found('docs/change/a.md', 'A page.\n\nWhoever reads.'), [`3: ${says}`]);
});

test('names of code, addresses and examples are not prose', () => {
  assert.deepEqual(found('src/a.ts', "const told = tells(wants);\nconst key = 'told';"), []);
  assert.deepEqual(found('docs/change/a.md', '`told` and [a link](told.md)\n\n```sh\ntold\n```\n'), []);
});

test('what has another meaning is not found', () => {
  for (const text of ['Both are told apart by name.', 'Three keys, none of which expires.', 'If you want it.'])
    assert.deepEqual(found('docs/change/a.md', text), [], text);
});
