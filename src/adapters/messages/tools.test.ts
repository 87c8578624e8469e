import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { chatTools } from './tools.ts';

const read = (body: object) =>
  chatTools(validated(requestBodies.countMessageTokens, { messages: [{ role: 'user', content: 'Hi' }], ...body }));

const schema = { type: 'object', properties: { city: { type: 'string' } }, $schema: 'https://json-schema.org' };
const look = { name: 'look', description: 'Looks.', input_schema: schema };
const find = { name: 'find' };
const tools = [
  { type: 'function', function: { name: 'look', description: 'Looks.', parameters: schema } },
  { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } },
];

test('a tool becomes a function tool, without fields for the vendor’s models', () => {
  const vendor = {
    cache_control: {},
    defer_loading: true,
    eager_input_streaming: true,
    input_examples: [],
    strict: true,
  };
  assert.deepEqual(
    read({
      tools: [
        { ...look, type: 'custom', ...vendor },
        { ...find, type: null },
      ],
    }),
    { tools },
  );
});

test('without tools there are no fields for them, whatever the choice', () => {
  for (const body of [{}, { tools: null }, { tools: [] }, { tools: [], tool_choice: { type: 'auto' } }])
    assert.deepEqual(read(body), {});
});

/** [what is sent, what the model gets] */
const choices: [object, object][] = [
  [{ type: 'auto' }, { tool_choice: 'auto' }],
  [{ type: 'none' }, { tool_choice: 'none' }],
  [{ type: 'any' }, { tool_choice: 'required' }],
  [{ type: 'tool', name: 'find' }, { tool_choice: { type: 'function', function: { name: 'find' } } }],
  [
    { type: 'auto', disable_parallel_tool_use: true },
    { tool_choice: 'auto', parallel_tool_calls: false },
  ],
  [{ type: 'any', disable_parallel_tool_use: false }, { tool_choice: 'required' }],
];
for (const [choice, expected] of choices)
  test(`the choice ${JSON.stringify(choice)} becomes ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(read({ tools: [look, find], tool_choice: choice }), { tools, ...expected });
  });

const refusals: [string, string, object][] = [
  ['tools that are no list', 'tools', { tools: {} }],
  ['a tool that is no object', 'tools[0]', { tools: ['look'] }],
  ['a built-in tool', 'tools[1].type', { tools: [look, { type: 'bash_20250124', name: 'bash' }] }],
  ['a tool without a name', 'tools[0].name', { tools: [{ input_schema: schema }] }],
  ['a tool with an empty name', 'tools[0].name', { tools: [{ name: '' }] }],
  ['a description that is no text', 'tools[0].description', { tools: [{ ...look, description: 5 }] }],
  ['a schema that is no object', 'tools[0].input_schema', { tools: [{ ...look, input_schema: [] }] }],
  ['a choice that is text', 'tool_choice', { tools: [look], tool_choice: 'auto' }],
  ['a choice of a kind nobody knows', 'tool_choice.type', { tools: [look], tool_choice: { type: 'some' } }],
  ['a tool that is not there', 'tool_choice.name', { tools: [look], tool_choice: { type: 'tool', name: 'find' } }],
  ['any tool where there is none', 'tool_choice', { tool_choice: { type: 'any' } }],
  [
    'a switch that is text',
    'disable_parallel_tool_use',
    { tools: [look], tool_choice: { type: 'auto', disable_parallel_tool_use: 'yes' } },
  ],
];
for (const [what, param, body] of refusals)
  test(`${what} is refused, naming ${param}`, () => {
    assert.throws(
      () => read(body),
      (error) => error instanceof Fault && error.code === 'invalid_request' && error.param === param,
    );
  });
