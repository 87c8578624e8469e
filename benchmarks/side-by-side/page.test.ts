import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { groups } from '#conformance/checks/all.ts';
import type { CheckOutcome } from '#conformance/run.ts';
import { conformancePage, failuresPage } from './page.ts';

const outcome = (check: string, result: CheckOutcome['result'], reason: string | null = null): CheckOutcome => ({
  group: 'answers',
  check,
  sentences: ['4.2-1'],
  result,
  reason,
});

test('each group has a row with counts for each gateway, and what failed has its reason', () => {
  const gateways = [
    { name: 'Ours', outcomes: [outcome('chat', 'holds'), outcome('messages', 'holds')] },
    { name: 'Theirs', outcomes: [outcome('chat', 'fails', '500 `instead` of 200'), outcome('messages', 'absent')] },
  ];
  const page = conformancePage(gateways);
  const failures = failuresPage(gateways);
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) => row.split('|').slice(1, -1));
  assert.deepEqual(
    cells.map((row) => row.map((cell) => cell.trim())),
    [
      ['checks', 'Ours', 'Theirs'],
      cells[1]?.map((cell) => cell.trim()),
      ['answers', '2 ✔', '1 ✘'],
      ['**all**', '2 ✔', '1 ✘'],
    ],
  );
  assert.match(failures, /## Theirs: failed checks\n\n- `500 'instead' of 200`: chat/);
  assert.doesNotMatch(failures, /Ours: failed checks/);
});

test('gateways that were asked other things are not compared', () => {
  const [one, other] = [outcome('chat', 'holds'), outcome('messages', 'holds')];
  const compared = [
    { name: 'Ours', outcomes: [one] },
    { name: 'Theirs', outcomes: [other] },
  ];
  assert.throws(() => conformancePage(compared), /Theirs was not checked for: chat/);
});

test('the published page has every group with all of its checks, which hold of this gateway', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/buy/conformance.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const shown = rows.map((row) => row.split('|').slice(1, 3)).slice(1, -1);
  assert.deepEqual(
    shown.map((cells) => cells.map((cell) => cell.trim())),
    shown.map(([names = '']) => {
      const own = groups.filter(({ name }) => names.trim().split(', ').includes(name));
      return [own.map(({ name }) => name).join(', '), `${own.flatMap(({ checks }) => checks).length} ✔`];
    }),
  );
  const named = shown.flatMap(([names = '']) => names.trim().split(', '));
  assert.deepEqual(named.sort(), groups.map(({ name }) => name).sort());
});
