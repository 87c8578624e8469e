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

test('a schema that contains itself has an end', () => {
  assert.ok(sampleOf({ type: 'object', properties: { next: { $ref: '#' } } }));
  assert.equal(sampleOf({ $ref: '#' }), null);
});

test('what is no schema gives an empty object', () => {
  for (const odd of [null, undefined, 7, 'x', [], { $ref: '#/not/there' }, { properties: [] }])
    assert.deepEqual(sampleOf(odd), {});
});
