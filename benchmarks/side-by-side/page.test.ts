import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { groups } from '#conformance/checks.ts';
import type { CheckOutcome } from '#conformance/run.ts';
import { conformancePage } from './page.ts';

const outcome = (check: string, result: CheckOutcome['result'], reason: string | null = null): CheckOutcome => ({
  group: 'answers',
  check,
  result,
  reason,
});

test('each check has a row, with a mark for each gateway, and what failed has its reason', () => {
  const page = conformancePage([
    { name: 'Ours', outcomes: [outcome('chat', 'holds'), outcome('messages', 'holds')] },
    { name: 'Theirs', outcomes: [outcome('chat', 'fails', '500 `instead` of 200'), outcome('messages', 'absent')] },
  ]);
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) => row.split('|').slice(1, -1));
  assert.deepEqual(
    cells.map((row) => row.map((cell) => cell.trim())),
    [
      ['check', 'Ours', 'Theirs'],
      cells[1]?.map((cell) => cell.trim()),
      ['answers: chat', '✔', '✘'],
      ['answers: messages', '✔', '–'],
      ['**hold, fail, not there**', '2, 0, 0', '0, 1, 1'],
    ],
  );
  assert.match(page, /## What failed of Theirs\n\n- chat: `500 'instead' of 200`/);
  assert.doesNotMatch(page, /What failed of Ours/);
});

test('gateways that were asked other things are not compared', () => {
  const [one, other] = [outcome('chat', 'holds'), outcome('messages', 'holds')];
  const compared = [
    { name: 'Ours', outcomes: [one] },
    { name: 'Theirs', outcomes: [other] },
  ];
  assert.throws(() => conformancePage(compared), /Theirs was not checked for: chat/);
});

test('the published page has every check', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const shown = rows.map((row) => row.split('|')[1]?.trim()).slice(1, -1);
  const names = groups.flatMap(({ name: group, checks }) => checks.map(({ name }) => `${group}: ${name}`));
  assert.deepEqual(shown, names);
});
