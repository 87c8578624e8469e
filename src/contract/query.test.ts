import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import {
  choice,
  choiceOr,
  clamped,
  decimal,
  idPrefix,
  list,
  plainText,
  queryOf,
  type Reader,
  requiredWhole,
  stepBelow,
  timestamp,
  trueFlag,
  whole,
} from './query.ts';

const refused = (run: () => unknown, param: string) =>
  assert.throws(run, (error) => error instanceof Fault && error.code === 'invalid_request' && error.param === param);
const read = <Value>(reader: Reader<Value>, ...texts: readonly (string | null)[]) =>
  texts.map((sent) => reader(sent, 'p'));
const refuses = (reader: Reader<unknown>, ...texts: readonly string[]) => {
  for (const sent of texts) refused(() => reader(sent, 'p'), 'p');
};

test('a query reads a parameter when it is asked for, and takes an empty one for absent', () => {
  const reads: string[] = [];
  const noting: Reader<string | null> = (sent, name) => {
    reads.push(`${name}=${sent}`);
    return sent;
  };
  const query = queryOf({ a: noting, b: noting, limit: clamped(1, 9, 5) })({ a: 'x', b: '', limit: '0' });
  assert.deepEqual(reads, []);
  assert.deepEqual([query.b, query.a], [null, 'x']);
  assert.deepEqual(reads, ['b=null', 'a=x']);
  refused(() => query.limit, 'limit');
});

test('a list has each known member once, and refuses unknown ones', () => {
  const reader = list(['x', 'y', 'z']);
  assert.deepEqual([...(reader('x, y,x', 'p') ?? [])], ['x', 'y']);
  assert.equal(reader(null, 'p'), null);
  refuses(reader, 'x,w', 'X', 'x,', ',');
});

test('a choice is one of the known ones; others are refused, or become the standard', () => {
  assert.deepEqual(read(choice(['x', 'y'], 'y'), 'x', null), ['x', 'y']);
  refuses(choice(['x', 'y'], null), 'x,y');
  assert.deepEqual(read(choiceOr(['1h', '24h'], '24h'), '1h', '24h', '2h', 'toString', null), [
    ...['1h', '24h', '24h', '24h', '24h'],
  ]);
});

test('a number above its maximum is reduced, one below its minimum is refused', () => {
  const reader = clamped(1, 500, 100);
  assert.deepEqual(read(reader, '1', '500', '501', '99999999999999999999', null), [1, 500, 500, 500, 100]);
  refuses(reader, '0', '-1', '1.5', '1e2', 'ten', '0x5', ' ');
});

test('a bounded number is refused outside its bounds', () => {
  assert.deepEqual(read(decimal(0.01, 0.99, null), '0.01', '0.990', null), [0.01, 0.99, null]);
  refuses(decimal(0.01, 0.99, null), '0', '1', '1e-1', '.5', '0.5 ');
  assert.deepEqual(read(whole(0, 86_400, 1), '0', '86400', null), [0, 86_400, 1]);
  refuses(whole(0, 86_400, 1), '86401', '1.0', '-1', '007');
  refused(() => requiredWhole(0, 9)(null, 'slots'), 'slots');
});

test('a step is the greatest of those up to the number, or else the first', () => {
  const reader = stepBelow([60, 300, 1800]);
  assert.deepEqual(read(reader, '60', '299', '300', '1e9', '0', '-5', '59.9', 'ten', null), [
    ...[60, 60, 300, 1800, 60, 60, 60, 60, 60],
  ]);
});

test('texts have bounds, and the first characters of an id are read in lower case', () => {
  assert.deepEqual(read(plainText(3), 'abc', null), ['abc', null]);
  refuses(plainText(3), 'abcd');
  assert.deepEqual(read(idPrefix(4), '01AB', null), ['01ab', null]);
  refuses(idPrefix(4), '01a');
  assert.deepEqual(read(trueFlag(), 'true', 'false', 'yes', null), [true, false, false, false]);
});

/** [text, as the start of a stretch, as its end] */
const moments: [string, string, string][] = [
  ['2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00', '2026-01-31T12:00', '2026-01-31t12:00:00z'].map(
    (sent): [string, string, string] => [sent, '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ),
  ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-31T12:00:00+01:30', '2026-01-31T10:30:00.000Z', '2026-01-31T10:30:00.000Z'],
  ['2026-01-31T12:00:00 01:30', '2026-01-31T10:30:00.000Z', '2026-01-31T10:30:00.000Z'],
  ['2026-01-31T23:00:00-0200', '2026-02-01T01:00:00.000Z', '2026-02-01T01:00:00.000Z'],
];
for (const [sent, from, to] of moments)
  test(`${sent} is from ${from} to ${to}`, () => {
    const found = [timestamp('start'), timestamp('end')].map((reader) => reader(sent, 'p'));
    assert.deepEqual(
      found.map((ms) => new Date(ms ?? 0).toISOString()),
      [from, to],
    );
  });

for (const sent of [
  ...['yesterday', '2026-02-30', '2026-13-01', '2026-1-1', '26-01-01', '1767225600', '2026-01-31T25:00:00Z'],
  ...[
    '2026-01-31T12',
    '2026-02-30T12:00:00Z',
    '2026-01-31T12:00:00+1',
    '2026-01-31T12:61:00Z',
    '2026-01-31T12:00:00+25:00',
  ],
])
  test(`the date ${sent} is refused`, () => {
    refuses(timestamp('start'), sent);
    refuses(timestamp('end'), sent);
  });
