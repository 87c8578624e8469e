import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { someListings } from '#testing/listings.ts';
import { choiceParam, limitParam, listParam, modelParam, periodParams, textParam } from './query.ts';

const refused = (run: () => unknown, param: string, code = 'invalid_request') =>
  assert.throws(run, (error) => error instanceof Fault && error.code === code && error.param === param);

test('an empty parameter counts as absent', () => {
  assert.equal(textParam({ a: '' }, 'a'), null);
  assert.equal(textParam({}, 'a'), null);
  assert.equal(listParam({ a: '' }, 'a', ['x']), null);
  assert.equal(choiceParam({ a: '' }, 'a', ['x']), null);
  assert.equal(limitParam({ limit: '' }, { standard: 5, max: 9 }), 5);
});

test('a list has each known member once, and refuses unknown ones', () => {
  assert.deepEqual([...(listParam({ s: 'x, y,x' }, 's', ['x', 'y', 'z']) ?? [])], ['x', 'y']);
  for (const text of ['x,w', 'X', 'x,', ',']) refused(() => listParam({ s: text }, 's', ['x', 'y']), 's');
});

test('a choice is one of the known ones', () => {
  assert.equal(choiceParam({ k: 'x' }, 'k', ['x', 'y']), 'x');
  refused(() => choiceParam({ k: 'x,y' }, 'k', ['x', 'y']), 'k');
});

test('a limit above the maximum is reduced, one below 1 is refused', () => {
  const limit = (text: string) => limitParam({ limit: text }, { standard: 100, max: 500 });
  assert.deepEqual(['1', '500', '501', '99999999999999999999'].map(limit), [1, 500, 500, 500]);
  for (const text of ['0', '-1', '1.5', '1e2', 'ten', '0x5', ' ']) refused(() => limit(text), 'limit');
});

test('a model is found by id or alias, and refused when unknown', () => {
  assert.equal(modelParam({ model: 'tide' }, someListings()), 'tide-70b');
  assert.equal(modelParam({ model: 'gone-3b' }, someListings()), 'gone-3b');
  assert.equal(modelParam({}, someListings()), null);
  refused(() => modelParam({ model: 'nobody' }, someListings()), 'model', 'unknown_model');
});

/** [text, from, to] */
const moments: [string, string, string][] = [
  ['2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00', '2026-01-31T12:00', '2026-01-31t12:00:00z'].map(
    (text): [string, string, string] => [text, '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ),
  ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00+01:30', '2026-01-31T10:30:00.000Z', '2026-01-31T10:30:00.000Z'],
  ['2026-01-31T12:00:00 01:30', '2026-01-31T10:30:00.000Z', '2026-01-31T10:30:00.000Z'],
  ['2026-01-31T23:00:00-0200', '2026-02-01T01:00:00.000Z', '2026-02-01T01:00:00.000Z'],
];
for (const [text, from, to] of moments)
  test(`${text} is from ${from} to ${to}`, () => {
    const { fromMs, toMs } = periodParams({ from: text, to: text });
    assert.deepEqual(
      [fromMs, toMs].map((ms) => new Date(ms ?? 0).toISOString()),
      [from, to],
    );
  });

test('without dates there are no bounds', () => {
  assert.deepEqual(periodParams({}), { fromMs: null, toMs: null });
});

for (const text of [
  ...['yesterday', '2026-02-30', '2026-13-01', '2026-1-1', '26-01-01', '1767225600', '2026-01-31T25:00:00Z'],
  ...[
    '2026-01-31T12',
    '2026-02-30T12:00:00Z',
    '2026-01-31T12:00:00+1',
    '2026-01-31T12:61:00Z',
    '2026-01-31T12:00:00+25:00',
  ],
])
  test(`the date ${text} is refused`, () => {
    refused(() => periodParams({ from: text }), 'from');
    refused(() => periodParams({ to: text }), 'to');
  });
