import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { sampleNumber } from './sample-number.ts';

const ajv = new Ajv({ strict: false });
const SAFE = Number.MAX_SAFE_INTEGER;

const integers: [object, number][] = [
  [{}, 1],
  [{ minimum: -SAFE, maximum: SAFE }, 1],
  [{ minimum: -SAFE, maximum: -5 }, -5],
  [{ minimum: 0 }, 1],
  [{ maximum: 0 }, 0],
  [{ minimum: 2.5 }, 3],
  [{ exclusiveMinimum: 1 }, 2],
  [{ exclusiveMaximum: 1 }, 0],
  [{ exclusiveMinimum: -SAFE, exclusiveMaximum: -1 }, -2],
  [{ minimum: 18, exclusiveMinimum: 10, maximum: 99 }, 18],
  [{ multipleOf: 5 }, 5],
  [{ multipleOf: 5, minimum: 12 }, 15],
  [{ multipleOf: 5, minimum: -12, maximum: 4 }, 0],
  [{ multipleOf: 5, exclusiveMinimum: -12, exclusiveMaximum: 0 }, -5],
  [{ multipleOf: 1.5 }, 3],
  [{ multipleOf: 0.5, minimum: 3 }, 3],
];

const numbers: [object, number][] = [
  [{}, 1],
  [{ minimum: -1e9, maximum: 1e9 }, 1],
  [{ minimum: 0, maximum: 0.5 }, 0],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  [{ exclusiveMinimum: 7 }, 8],
  [{ exclusiveMaximum: -7 }, -8],
  [{ multipleOf: 0.25, minimum: 2 }, 2],
];

for (const [type, rows] of [
  ['integer', integers],
  ['number', numbers],
] as const) {
  test(`a sample for type ${type} is small and fits`, () => {
    for (const [bounds, expected] of rows) {
      const schema = { type, ...bounds };
      assert.equal(sampleNumber(schema, type), expected, JSON.stringify(schema));
      assert.ok(ajv.validate(schema, expected), JSON.stringify(schema));
    }
  });
}

test('bounds that allow nothing, or are no numbers, give 1', () => {
  for (const odd of [{ minimum: 5, maximum: 4 }, { minimum: '7' }, { multipleOf: 0 }, { multipleOf: -2 }])
    assert.equal(sampleNumber(odd, 'integer'), 1);
});
