import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import type { JsonObject } from '#orders/request.ts';
import { validated } from '#testing/conforming.ts';
import { chatTools, customArguments, customInput, keptTools } from './tools.ts';

const parameters = { type: 'object', properties: { a: { type: 'string' } } };
const LOOK = { type: 'function', name: 'look', description: 'Looks.', parameters, strict: true };
const SEARCH = { type: 'web_search', external_web_access: true };
const NESTED = { type: 'function', function: { name: 'look', description: 'Looks.', parameters, strict: true } };

const functionTools = (body: Parameters<typeof keptTools>[0]) => keptTools(body, { custom: false });

function chat(sent: JsonObject): JsonObject {
  const body = validated(requestBodies.createResponse, { input: 'Hi', ...sent });
  return chatTools(body, functionTools(body));
}

test('a function tool is one level deeper in chat', () => {
  assert.deepEqual(chat({ tools: [LOOK] }), { tools: [NESTED] });
});

test('a function tool in the form of chat is understood', () => {
  assert.deepEqual(chat({ tools: [NESTED] }), { tools: [NESTED] });
  assert.deepEqual(functionTools({ tools: [NESTED] }), functionTools({ tools: [LOOK] }));
});

test('absent fields of a function tool have no key, except parameters, which models require', () => {
  const bare = { name: 'now', parameters: { type: 'object', properties: {} } };
  assert.deepEqual(chat({ tools: [{ type: 'function', name: 'now', description: null, strict: null }] }), {
    tools: [{ type: 'function', function: bare }],
  });
});

test('the kept tools have all their keys, for the echo', () => {
  assert.deepEqual(functionTools({ tools: [{ type: 'function', name: 'now' }] }), [
    { type: 'function', name: 'now', description: null, parameters: null, strict: null },
  ]);
});

test('tools that the vendor would run are silently dropped', () => {
  const others = [SEARCH, { type: 'namespace' }, { type: 'custom', name: 'patch' }, { type: 'mcp' }, { type: 'x' }];
  assert.deepEqual(chat({ tools: [...others, LOOK], tool_choice: 'auto' }), { tools: [NESTED], tool_choice: 'auto' });
});

const PATCH = {
  type: 'custom',
  name: 'patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
};
const ofText = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

function withCustom(sent: JsonObject): JsonObject {
  const body = validated(requestBodies.createResponse, { input: 'Hi', ...sent });
  return chatTools(body, keptTools(body, { custom: true }));
}

test('a custom tool is a function of one text where it is taken, and its grammar is part of the description', () => {
  const description = 'Edits files.\n\nThe input follows this lark grammar:\nstart: "x"';
  assert.deepEqual(withCustom({ tools: [SEARCH, PATCH, LOOK], tool_choice: { type: 'custom', name: 'patch' } }), {
    tools: [{ type: 'function', function: { name: 'patch', description, parameters: ofText } }, NESTED],
    tool_choice: { type: 'function', function: { name: 'patch' } },
    x_custom_tools: ['patch'],
  });
  assert.deepEqual(withCustom({ tools: [{ type: 'custom', name: 'run', format: { type: 'text' } }] }).tools, [
    { type: 'function', function: { name: 'run', parameters: ofText } },
  ]);
});

test('a custom tool that is kept is echoed as it was sent', () => {
  assert.deepEqual(keptTools({ tools: [PATCH, { type: 'custom', name: 'run' }] }, { custom: true }), [
    PATCH,
    { type: 'custom', name: 'run' },
  ]);
});

test('the choice of a custom tool that is dropped is auto', () => {
  assert.equal(chat({ tools: [PATCH, LOOK], tool_choice: { type: 'custom', name: 'patch' } }).tool_choice, 'auto');
});

for (const tool of [{ type: 'custom' }, { ...PATCH, description: 5 }, { ...PATCH, format: 'lark' }])
  test(`the custom tool ${JSON.stringify(tool)} is refused where it would be taken`, () => {
    assert.throws(() => withCustom({ tools: [tool] }), Fault);
    assert.deepEqual(chat({ tools: [tool] }), {});
  });

/** [arguments, the input] */
const inputs: [string, string][] = [
  [customArguments('*** "Begin"\n'), '*** "Begin"\n'],
  ['{"input":"a","why":"b"}', 'a'],
  ['{"patch":"a"}', 'a'],
  ['{}', ''],
  ['', ''],
  ['*** Begin', '*** Begin'],
  ['{"input":"*** Beg', '{"input":"*** Beg'],
  ['{"input":5}', '{"input":5}'],
  ['"a"', '"a"'],
  ['null', 'null'],
];
for (const [text, input] of inputs)
  test(`the arguments ${text} hold the input ${JSON.stringify(input)}`, () => {
    assert.equal(customInput(text), input);
  });

test('without function tools no field about tools is forwarded', () => {
  assert.deepEqual(chat({ tools: [SEARCH], tool_choice: 'required', parallel_tool_calls: false }), {});
  assert.deepEqual(chat({ tools: [] }), {});
  assert.deepEqual(chat({ tools: null, tool_choice: null, parallel_tool_calls: null }), {});
});

test('whether calls may be parallel is forwarded', () => {
  assert.deepEqual(chat({ tools: [LOOK], parallel_tool_calls: false }), {
    tools: [NESTED],
    parallel_tool_calls: false,
  });
});

/** [what is sent, what the model gets] */
const choices: [unknown, unknown][] = [
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'required'],
  [
    { type: 'function', name: 'look' },
    { type: 'function', function: { name: 'look' } },
  ],
  [
    { type: 'function', function: { name: 'look' } },
    { type: 'function', function: { name: 'look' } },
  ],
  [{ type: 'function', name: 'gone' }, 'auto'],
  [{ type: 'function', function: { name: 'gone' } }, 'auto'],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } }, 'required'],
  [{ type: 'web_search_preview' }, 'auto'],
  [{ type: 'custom', name: 'look' }, 'auto'],
  [{ type: 'allowed_tools', mode: 'auto', tools: [] }, 'auto'],
  [{ type: 'allowed_tools', mode: 'required', tools: [] }, 'required'],
];
// Spec 4.4-11
for (const [sent, reaches] of choices)
  test(`the choice ${JSON.stringify(sent)} is ${JSON.stringify(reaches)}`, () => {
    assert.deepEqual(chat({ tools: [LOOK], tool_choice: sent }).tool_choice, reaches);
  });

const refused: JsonObject[] = [
  { tools: {} },
  { tools: ['look'] },
  { tools: [{ name: 'look' }] },
  { tools: [{ type: 'function' }] },
  { tools: [{ type: 'function', name: '' }] },
  { tools: [{ ...LOOK, description: 5 }] },
  { tools: [{ ...LOOK, parameters: 'none' }] },
  { tools: [{ ...LOOK, strict: 'yes' }] },
  { tools: [LOOK], tool_choice: 'sometimes' },
  { tools: [LOOK], tool_choice: {} },
  { tools: [LOOK], tool_choice: { type: 'function' } },
  { tools: [LOOK], tool_choice: { type: 'function', function: { name: 5 } } },
  { tools: [{ type: 'function', function: {} }] },
  { tools: [LOOK], parallel_tool_calls: 1 },
];
for (const body of refused)
  test(`${JSON.stringify(body)} is refused`, () => {
    assert.throws(
      () => chat(body),
      (error) => error instanceof Fault && error.code === 'invalid_request',
    );
  });
