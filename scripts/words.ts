/**
 * `npm run words`: prints how many words each document and each folder has, and how much of each budget is used; `--json`
 * prints the same for programs. `npm run tidy` fails above a budget.
 */
import { dirname } from 'node:path';
import { budgets, countWords, wordsOf } from './tidy/budgets.ts';
import { documents } from './tidy/documents.ts';

const pages = countWords(documents());
const folders = [...Map.groupBy(pages, ({ path }) => dirname(path))].map(([path, inside]) => ({
  path,
  words: inside.reduce((sum, { words }) => sum + words, 0),
}));
const used = budgets.map((budget) => ({ name: budget.name, words: wordsOf(budget, pages), budget: budget.words }));

if (process.argv.includes('--json')) console.log(JSON.stringify({ pages, folders, budgets: used }, null, 2));
else {
  const rows = (title: string, lines: readonly string[]) => console.log([title, ...lines, ''].join('\n'));
  const row = (words: number, name: string, more = '') => `${String(words).padStart(8)}  ${name}${more}`;
  rows(
    'Pages',
    pages.map(({ path, words }) => row(words, path)),
  );
  rows(
    'Folders',
    folders.map(({ path, words }) => row(words, path)),
  );
  rows(
    'Budgets',
    used.map(({ name, words, budget }) =>
      row(words, name, ` (budget ${budget}${words > budget ? `, ${words - budget} too many` : ''})`),
    ),
  );
}
