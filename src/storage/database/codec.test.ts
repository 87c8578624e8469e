import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, column, optional } from './codec.ts';
import { flag, int, json, money, oneOf, orNull, price, text, textOrNull } from './values.ts';

interface Size {
  readonly width: number;
  readonly height: number | null;
}

interface Thing {
  readonly id: string;
  readonly soldAtMs: number;
  readonly limit: number | null;
  readonly charge: bigint;
  readonly isNew: boolean;
  readonly color: 'red' | 'blue';
  readonly tags: readonly string[] | null;
  readonly size: Size;
  readonly note?: string | null;
  readonly shelf?: string;
}

const things = codec<Thing>({
  id: text,
  soldAtMs: int,
  limit: column('price_limit', orNull(price)),
  charge: money,
  isNew: flag,
  color: oneOf(['red', 'blue']),
  tags: orNull(json()),
  size: codec<Size>({ width: column('size_width', int), height: orNull(int) }),
  note: textOrNull,
  shelf: optional(text),
});

const whole: Thing = {
  id: 'one',
  soldAtMs: 5,
  limit: 2 ** 40,
  charge: 2n ** 60n,
  isNew: true,
  color: 'blue',
  tags: ['a', 'b'],
  size: { width: 3, height: null },
  note: 'n',
  shelf: 's',
};
const stored = {
  id: 'one',
  sold_at_ms: 5,
  price_limit: 2n ** 40n,
  charge: 2n ** 60n,
  is_new: 1,
  color: 'blue',
  tags: '["a","b"]',
  size_width: 3,
  height: null,
  note: 'n',
  shelf: 's',
};

test('a row is written and read by the description, and its columns are named by it', () => {
  assert.deepEqual(things.columns, Object.keys(stored));
  assert.deepEqual(things.row(whole), stored);
  assert.deepEqual(things.from({ ...stored, charge: String(stored.charge), sold_at_ms: 5n }), whole);
});

test('what is packed crosses to another thread as it was, without names, also where fields are absent', () => {
  assert.deepEqual(things.unpack(structuredClone(things.pack(whole))), whole);
  const { note: _, shelf: __, ...rest } = whole;
  assert.deepEqual(things.unpack(structuredClone(things.pack(rest))), { ...rest, note: null });
  assert.ok(!JSON.stringify(things.pack({ ...rest, charge: 0n }), (_, value) => String(value)).includes('color'));
});

test('only the given fields become columns of a statement, with amounts as text', () => {
  assert.deepEqual(things.some({ charge: 7n, limit: null, note: undefined, size: { width: 1, height: 2 } }), {
    charge: '7',
    price_limit: null,
    size_width: 1,
    height: 2,
  });
});

test('a word that the description does not know is refused', () => {
  assert.throws(() => things.from({ ...stored, color: 'green' }), /green where one of red, blue belongs/);
});
