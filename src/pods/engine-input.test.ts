import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineInput } from './engine-input.ts';
import { type Engine, profiles } from './engine-profiles.ts';

const user = { role: 'user', content: 'Hi' };
const assistant = (more: object) => ({ role: 'assistant', content: 'Calm.', ...more });
const call = (id: string, name = 'look') => ({ id, type: 'function', function: { name, arguments: '{}' } });
const output = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'sun' });

const read = (engine: Engine, ...messages: object[]) =>
  engineInput({ messages, seed: 1 }, 'merge_leading', profiles[engine]).messages as Record<string, unknown>[];

const both = { reasoning_content: 'Hm.', reasoning: 'Hm.' };
const older = { reasoning_content: 'Hm.' };
/** [engine, how it gets earlier reasoning] */
const names: [Engine, object][] = [
  ['auto', both],
  ['vllm', both],
  ['kimi', both],
  ['sglang', older],
  ['llama_cpp', older],
  ['deepseek', older],
  ['mistral', {}],
  ['openai', {}],
];
for (const [engine, reasoning] of names)
  test(`${engine} gets earlier reasoning as ${Object.keys(reasoning).join(' and ') || 'nothing, because it refuses it'}`, () => {
    for (const sent of [older, { reasoning: 'Hm.' }, both, { reasoning_content: '', reasoning: 'Hm.' }])
      assert.deepEqual(read(engine, user, assistant(sent)), [user, assistant(reasoning)]);
  });

test('two different texts of reasoning both stay', () => {
  const sent = { reasoning_content: 'A.', reasoning: 'B.' };
  assert.deepEqual(read('auto', assistant(sent)), [assistant(sent)]);
});

test('a message without reasoning gets none, and other roles keep their fields', () => {
  const messages = [assistant({}), assistant({ reasoning_content: null }), { ...user, reasoning: 'x' }];
  assert.deepEqual(read('auto', ...messages), messages);
  assert.deepEqual(read('mistral', assistant({ reasoning_content: '\n' })), [assistant({})]);
});

const conversation = [
  user,
  assistant({ tool_calls: [call('call_a'), call('call_b', 'find')] }),
  output('call_a'),
  output('call_b'),
  assistant({ tool_calls: [call('D681PevKs')] }),
  output('D681PevKs'),
];
const idsOf = (messages: readonly Record<string, unknown>[]) =>
  messages.map(({ tool_calls: calls, tool_call_id: id }) => (calls as { id: string }[])?.map((one) => one.id) ?? id);

test('Mistral gets ids of nine letters and digits, the same in a longer conversation', () => {
  const ids = idsOf(read('mistral', ...conversation)).flat();
  for (const id of ids.filter((one) => one !== undefined)) assert.match(String(id), /^[A-Za-z0-9]{9}$/);
  const [, a, b, ...rest] = ids;
  assert.deepEqual(rest, [a, b, 'D681PevKs', 'D681PevKs']);
  assert.deepEqual(idsOf(read('mistral', ...conversation.slice(0, 4))).flat(), ids.slice(0, 5));
});

test('Kimi gets ids with the name of the function and a count through the conversation', () => {
  assert.deepEqual(idsOf(read('kimi', ...conversation)), [
    undefined,
    ['functions.look:0', 'functions.find:1'],
    'functions.look:0',
    'functions.find:1',
    ['functions.look:2'],
    'functions.look:2',
  ]);
});

test('every other engine gets the ids as they are', () => {
  assert.deepEqual(read('vllm', ...conversation), conversation);
});

test('a body without messages, and messages that are none, are passed on', () => {
  for (const messages of [undefined, 'odd', [null, 'odd', 7]])
    assert.deepEqual(engineInput({ messages }, 'merge_all', profiles.mistral), { messages });
});

test('the list of custom tools is for the gateway alone', () => {
  const body = { messages: [user], x_custom_tools: ['patch'] };
  for (const policy of ['as_is', 'merge_leading'] as const)
    assert.deepEqual(engineInput(body, policy, profiles.auto), { messages: [user] });
});
