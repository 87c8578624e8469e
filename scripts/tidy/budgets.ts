/** How many words the documents may have, counted as `wc -w` counts: tables and code included. */
import { type Finding, fault, type SourceFile } from './source.ts';

/** A limit for the words of some documents together. */
export interface Budget {
  /** The file or the folder. */
  readonly name: string;
  readonly words: number;
  /** Which documents count. */
  readonly holds: (path: string) => boolean;
}

/** What a document has of words. */
export interface Count {
  readonly path: string;
  readonly words: number;
}

/** The budgets. */
export const budgets: readonly Budget[] = [
  { name: 'README.md', words: 700, holds: (path) => path === 'README.md' },
  { name: 'CONTRIBUTING.md', words: 3000, holds: (path) => path === 'CONTRIBUTING.md' },
  {
    name: 'docs, without the specification and decisions',
    words: 35_000,
    holds: (path) => /^docs\/(?!specification\.md|decisions\/)/.test(path),
  },
  { name: 'docs/decisions', words: 15_000, holds: (path) => path.startsWith('docs/decisions/') },
  {
    name: 'docs/understand/benchmarks.md',
    words: 4000,
    holds: (path) => path === 'docs/understand/benchmarks.md',
  },
];

/** Counts the words of each document. */
export function countWords(documents: readonly SourceFile[]): Count[] {
  return documents.map(({ path, text }) => ({ path, words: text.split(/\s+/).filter(Boolean).length }));
}

/** The words of all documents that a budget holds. */
export function wordsOf({ holds }: Budget, counts: readonly Count[]): number {
  return counts.filter(({ path }) => holds(path)).reduce((sum, { words }) => sum + words, 0);
}

/** Budgets that the documents exceed, each at its longest document. */
export function checkBudgets(documents: readonly SourceFile[]): Finding[] {
  const counts = countWords(documents);
  return budgets.flatMap((budget) => {
    const words = wordsOf(budget, counts);
    if (words <= budget.words) return [];
    const [longest] = counts.filter(({ path }) => budget.holds(path)).sort((one, other) => other.words - one.words);
    return [
      fault(longest?.path ?? budget.name, 1, `${budget.name} has ${words} words, above its budget of ${budget.words}`),
    ];
  });
}
