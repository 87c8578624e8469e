import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '#testing/judged-config.ts';
import { ConfigError } from './config.ts';

/** The facts of a file whose only model has this `catalog:` block. */
function factsOf(block: string) {
  const text = `default_model: tide
models:
  - id: tide
    type: fixed
    context_length: 8192
    max_output_length: 1024
    usd_per_million: {cached: 0.02, uncached: 0.1, output: 0.4}
${block}`;
  return parseConfig(text, 'test.yaml', {}).catalogs.get('tide');
}

test('without a block there are no facts', () => {
  assert.deepEqual(factsOf(''), { datacenters: [], compliance: { zdr: false } });
});

test('a complete block', () => {
  const facts = factsOf(`    catalog:
      hugging_face_id: tide/Tide-70B.v1
      quantization: fp8
      datacenters: [{country_code: DE, region: eu-1}, {country_code: IS}]
      compliance: {zdr: true, hipaa: false}
      deprecation_date: 2027-02-28
      supported_parameters:
        frequency_penalty: {type: range, min: -2, max: 2}
        seed: {type: integer}
        tool_choice: {type: enum, values: [auto, none]}
        stop: {type: array, max_items: 4}
        tools: {type: array}
`);
  assert.deepEqual(facts, {
    hugging_face_id: 'tide/Tide-70B.v1',
    quantization: 'fp8',
    datacenters: [{ country_code: 'DE', region: 'eu-1' }, { country_code: 'IS' }],
    compliance: { zdr: true, hipaa: false },
    deprecation_date: '2027-02-28',
    supported_parameters: {
      frequency_penalty: { type: 'range', min: -2, max: 2 },
      seed: { type: 'integer' },
      tool_choice: { type: 'enum', values: ['auto', 'none'] },
      stop: { type: 'array', max_items: 4 },
      tools: { type: 'array' },
    },
  });
});

test('unless stated, data is retained and hipaa is unknown', () => {
  const facts = factsOf('    catalog: {hugging_face_id: a/b}\n');
  assert.deepEqual([facts?.compliance, facts?.supported_parameters], [{ zdr: false }, undefined]);
});

const refused: readonly (readonly [string, RegExp])[] = [
  ['{hugging_face_id: tide}', /catalog\.hugging_face_id is "tide"; make it an owner and a name/],
  ['{quantization: 8 bits}', /catalog\.quantization is "8 bits"; make it int4, int8/],
  ['{datacenters: [{country_code: de}]}', /datacenters\[0\]\.country_code is "de"; make it a country code/],
  ['{datacenters: [{region: eu}]}', /datacenters\[0\]\.country_code is missing/],
  ['{datacenters: DE}', /catalog\.datacenters is "DE"; make it a list/],
  ['{compliance: {zdr: yes please}}', /compliance\.zdr is "yes please"; make it true or false/],
  ['{compliance: {gdpr: true}}', /compliance\.gdpr is not a setting here/],
  ['{deprecation_date: soon}', /deprecation_date is "soon"; make it a date/],
  ['{deprecation_date: 2026-02-30}', /deprecation_date is not a valid date/],
  ['{supported_parameters: {seed: integer}}', /supported_parameters\.seed is "integer"; make it a mapping/],
  ['{supported_parameters: {seed: {type: number}}}', /seed\.type is "number"; make it range, integer/],
  ['{supported_parameters: {seed: {min: 1}}}', /seed\.type is missing/],
  ['{supported_parameters: {seed: {type: integer, min: 2, max: 1}}}', /seed\.min is above max/],
  ['{supported_parameters: {seed: {type: integer, max: many}}}', /seed\.max is "many"; make it a number/],
  ['{supported_parameters: {tool_choice: {type: enum}}}', /tool_choice\.values is empty/],
  ['{supported_parameters: {stop: {type: array, max_items: 0}}}', /stop\.max_items is "0"; make it a whole number/],
  ['{supported_parameters: {stop: {type: array, min: 1}}}', /stop\.min is not a setting here/],
  ['{hugging_face_ids: a/b}', /hugging_face_ids is not a setting here; did you mean hugging_face_id\?/],
  ['[]', /catalog is a list; make it a mapping/],
];

for (const [block, sentence] of refused) {
  test(`catalog: ${block} is refused`, () => {
    assert.throws(
      () => factsOf(`    catalog: ${block}\n`),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, sentence);
        assert.match(error.message, /^test\.yaml:\d+: /);
        return true;
      },
    );
  });
}
