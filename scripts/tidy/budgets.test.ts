import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgets, checkBudgets, countWords, wordsOf } from './budgets.ts';

const page = (path: string, words: number) => ({ path, text: `${'word\n'.repeat(words)}` });

test('words are counted as wc -w does', () => {
  const text = '# A heading\n\n| a | `b c` |\n\n```sh\ncurl  --x\n```\n';
  assert.deepEqual(countWords([{ path: 'a.md', text }]), [{ path: 'a.md', words: 13 }]);
});

test('documents above their budget are a fault of the longest one', () => {
  const sentences = checkBudgets([page('docs/buy/a.md', 20_000), page('docs/sell/b.md', 15_001)]);
  assert.deepEqual(sentences, [
    {
      path: 'docs/buy/a.md',
      line: 1,
      sentence: 'docs, without the specification and decisions has 35001 words, above its budget of 35000',
    },
  ]);
  assert.deepEqual(checkBudgets([page('docs/buy/a.md', 35_000), page('README.md', 700)]), []);
});

test('the specification has no budget, and decisions have their own', () => {
  const counts = countWords([
    page('docs/specification.md', 5),
    page('docs/decisions/0001-a.md', 7),
    page('docs/a.md', 2),
  ]);
  assert.deepEqual(
    budgets.map((budget) => wordsOf(budget, counts)),
    [0, 0, 2, 7, 0],
  );
});
