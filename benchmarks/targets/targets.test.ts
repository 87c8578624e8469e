/** The table of targets. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { figuresIn, tellFigure, tellingTo } from './figures.ts';
import { NOT_MEASURED, targets, verdicts } from './targets.ts';

const nothing = new Map<string, number>();
const rowOf = (rows: readonly string[][], what: string) => rows.find(([name]) => name === what);

test('a figure is compared with its bound, from above or below', () => {
  const figures = new Map([
    ['http: unary, 8 chunks, 20: ÷ floor', 2.5],
    ['http: unary, 8 chunks, 64: ÷ floor', 2.01],
    ['http: unary, 8 chunks, 20: ÷ peer', 3.8],
    ['http: unary, 8 chunks, 64: ÷ peer', 4.19],
    ['http: unary, 8 chunks, 20: rate', 4_000],
    ['start: idle MiB', 140.4],
  ]);
  const rows = verdicts({ figures, onMariadb: new Map([['http: unary, 8 chunks, 20: rate', 2_400]]) });
  const verdict = (what: string) => rowOf(rows, what)?.slice(1);
  assert.deepEqual(verdict('processor time ÷ floor: unary, 8 chunks, 20'), ['2.5', '≤ 2.5', 'yes']);
  assert.deepEqual(verdict('processor time ÷ floor: unary, 8 chunks, 64'), [
    '2.01',
    '≤ 2',
    'NO: [why](#beside-the-floor)',
  ]);
  assert.deepEqual(verdict('rate ÷ Portkey: unary, 8 chunks, 20'), ['3.8', '≥ 3.8', 'yes']);
  assert.deepEqual(verdict('rate ÷ Portkey: unary, 8 chunks, 64'), ['4.19', '≥ 4.2', 'NO: [why](#beside-the-floor)']);
  assert.deepEqual(verdict('MariaDB ÷ SQLite: unary, 8 chunks, 20'), ['0.6', '≥ 0.6', 'yes']);
  assert.deepEqual(verdict('resident memory, idle'), ['140 MiB', '≤ 140 MiB', 'NO']);
});

test('each section that explains a missed target exists', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/understand/benchmarks.md'), 'utf8');
  const sections = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
  const explained = targets.flatMap(({ explainedIn }) => explainedIn ?? []);
  assert.notEqual(explained.length, 0);
  for (const section of explained) assert.ok(sections.includes(section), section);
});

/** As Markdown pages name their sections. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

test('what was not measured is neither reached nor missed', () => {
  const rows = verdicts({ figures: nothing, onMariadb: nothing });
  assert.equal(rows.length, targets.length);
  assert.ok(rows.every(([, figure, , reached]) => figure === NOT_MEASURED && reached === ''));
});

test('figures pass through a file, the last of each name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-figures-'));
  const file = join(folder, 'figures');
  const before = { ...process.env };
  try {
    Object.assign(process.env, tellingTo(file));
    tellFigure('one', 1);
    tellFigure('two', 2);
    tellFigure('one', 3);
    assert.deepEqual(
      [...figuresIn(file)],
      [
        ['one', 3],
        ['two', 2],
      ],
    );
  } finally {
    process.env = before;
    rmSync(folder, { recursive: true });
  }
});
