import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shapeFaults, tableIn, withTable } from './attack-costs.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/understand/market.md'), 'utf8');

test('docs/understand/market.md has the attacks that move most and counts all, as `npm run market-page` writes them', () => {
  assert.deepEqual(shapeFaults(tableIn(page)), []);
});

test('a table of another shape is found', () => {
  const table = tableIn(page);
  const lines = table.split('\n');
  assert.equal(shapeFaults(lines.toSpliced(5, 1).join('\n')).length, 1);
  assert.equal(shapeFaults(table.replace('highest quote', 'peak')).length, 1);
  assert.equal(shapeFaults(table.replace(/\d\.\d×/, 'much')).length, 1);
  assert.equal(shapeFaults(table.replace(/The other \d+/, 'The other 3')).length, 1);
});

test('only what is between the marks is replaced', () => {
  const table = tableIn(page);
  assert.equal(withTable(page, table), page);
  const changed = withTable(page, '$& new');
  assert.equal(tableIn(changed), '$& new');
  assert.equal(withTable(changed, table), page);
  assert.throws(() => tableIn('no marks'), /no place/);
});
