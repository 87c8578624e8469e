import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { attributeCatalogue, spanCatalogue } from './catalogue.ts';

const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');

test('docs/operating.md has the table of all spans', () => {
  const rows = Object.entries(spanCatalogue).map(([name, { kind, what }]) => `| \`${name}\` | ${kind} | ${what} |`);
  const table = ['| span | kind | what |', '|---|---|---|', ...rows].join('\n');
  assert.ok(page.includes(`\n${table}\n`), `Put this table there:\n${table}`);
});

test('docs/operating.md has the table of all attributes', () => {
  const rows = Object.entries(attributeCatalogue).map(([name, { on, what }]) => `| \`${name}\` | ${on} | ${what} |`);
  const table = ['| attribute | of | what |', '|---|---|---|', ...rows].join('\n');
  assert.ok(page.includes(`\n${table}\n`), `Put this table there:\n${table}`);
});
