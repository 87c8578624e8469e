import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStartOf, momentOf } from './moment.ts';

const atMs = Date.UTC(2026, 10, 26, 13, 52, 30);

/** [what prints it, the text, its milliseconds after 13:52:30 UTC] */
const written: [string, string, number][] = [
  ['JavaScript', '2026-11-26T13:52:30.485Z', 485],
  ['Python', '2026-11-26T13:52:30.485123+00:00', 485],
  ['Python, printed', '2026-11-26 14:52:30+01:00', 0],
  ['Go', '2026-11-26T13:52:30.485123456Z', 485],
  ['Go, a short fraction', '2026-11-26T13:52:30.5Z', 500],
  ['date -Is', '2026-11-26T14:52:30+01:00', 0],
  ['date -Ins', '2026-11-26T13:52:30,485123456+00:00', 485],
  ['date +%FT%T%z', '2026-11-26T08:22:30-0530', 0],
  ['RFC 3339 in small letters', '2026-11-26t13:52:30z', 0],
  ['a person, without seconds', '2026-11-26T13:52Z', -30_000],
  ['an address whose plus sign was not escaped', '2026-11-26T14:52:30 01:00', 0],
];
for (const [by, text, moreMs] of written)
  test(`a moment as ${by} writes it: ${text}`, () => assert.equal(momentOf(text), atMs + moreMs));

test('a moment without a zone is UTC, where that is allowed', () => {
  assert.equal(momentOf('2026-11-26T13:52:30', 'UTC'), atMs);
  assert.equal(momentOf('2026-11-26T13:52:30'), null);
});

for (const text of [
  ...['', 'tomorrow', '1', '2026-11-26', '26.11.2026', '2026-11-26T13Z', '2026-11-26T13:52:30+1', ' 2026-11-26T13:52Z'],
  ...['2026-02-30T00:00Z', '2026-13-01T00:00Z', '2026-11-26T24:00Z', '2026-11-26T13:60Z', '2026-11-26T13:52:60Z'],
  ...[
    '2026-11-26T13:52:30+25:00',
    '2026-11-26T13:52:30+01:60',
    '2026-11-26T13:52:30.Z',
    '2026-11-26T13:52:30.1234567890Z',
  ],
])
  test(`${JSON.stringify(text)} is no moment`, () => assert.equal(momentOf(text, 'UTC'), null));

test('a day begins at midnight UTC, and exists', () => {
  assert.equal(dayStartOf('2028-02-29'), Date.UTC(2028, 1, 29));
  for (const text of ['2027-02-29', '2026-00-10', '2026-1-1', '2026-11-26T00:00Z'])
    assert.equal(dayStartOf(text), null);
});
