import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { sampleOf } from './sample-json.ts';

const ajv = new Ajv({ strict: false });

test('a sample fits its schema', () => {
  const schemas: object[] = [
    { type: 'string', minLength: 20 },
    { type: 'integer', minimum: 3 },
    { type: 'number', maximum: 0.5 },
    { type: ['boolean', 'null'] },
    { type: 'null' },
    { enum: ['a', 'b'] },
    { const: { x: 1 } },
    { default: 'd', type: 'string' },
    { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    { type: 'array', items: { type: 'string' }, minItems: 2 },
    {
      type: 'object',
      properties: { city: { type: 'string' }, days: { $ref: '#/$defs/days' } },
      required: ['city', 'days'],
      additionalProperties: false,
      $defs: { days: { type: 'array', items: { type: 'integer', minimum: 1 } } },
    },
  ];
  for (const schema of schemas) {
    const sample = sampleOf(schema);
    assert.ok(ajv.validate(schema, sample), `${JSON.stringify(sample)} for ${JSON.stringify(schema)}`);
  }
});

test('a recursive schema ends', () => {
  assert.ok(sampleOf({ type: 'object', properties: { next: { $ref: '#' } } }));
  assert.equal(sampleOf({ $ref: '#' }), null);
});

test('a schema that branches into itself gives a value of bounded size', () => {
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`p${place}`, { $ref: '#' }]));
  const nested = { type: 'array', minItems: 16, items: { $ref: '#' } };
  const wordy = { properties: { a: { $ref: '#' }, b: { $ref: '#' }, c: { const: 'x'.repeat(9_000) } } };
  for (const schema of [{ properties }, nested, wordy]) assert.ok(JSON.stringify(sampleOf(schema)).length < 60_000);
});

test('an invalid schema gives an empty object', () => {
  for (const odd of [null, undefined, 7, 'x', [], { $ref: '#/not/there' }, { properties: [] }])
    assert.equal(JSON.stringify(sampleOf(odd)), '{}');
});
