import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredRequest } from '#orders/token-estimate.ts';
import { engineInput } from './engine-input.ts';
import { type Engine, engines, profiles } from './engine-profiles.ts';
import { systemPolicies } from './system-policy.ts';

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

const many = (count: number, message: object) => Array<object>(count).fill(message);
const longName = 'look_'.repeat(200);
const turn = (id: string, name: string) => [assistant({ tool_calls: [call(id, name)] }), output(id)];
/** Conversations in which an engine's words are longer than the caller's. */
const grown: Record<string, readonly object[]> = {
  'empty system messages': [user, ...many(2_000, { role: 'system', content: '' })],
  'system messages without content': [user, ...many(500, { role: 'system' }), user],
  'developer messages between turns': many(400, user).flatMap((one) => [one, { role: 'developer', content: 'x' }]),
  'system messages of parts': [user, ...many(300, { role: 'system', content: [{ type: 'text', text: 'x' }] })],
  'leading system messages': [...many(300, { role: 'system', content: '' }), user],
  'a system message that cannot be joined': [
    ...many(300, { role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    ...many(300, { role: 'system', content: '' }),
  ],
  'user messages in a row, some of parts': many(300, user).flatMap((one) => [
    one,
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
  ]),
  'calls with short ids': many(100, {}).flatMap((_, at) => turn(`${at}`, 'f')),
  'calls of a function with a long name': many(50, {}).flatMap((_, at) => turn(`${at}`, longName)),
};
for (const [what, messages] of Object.entries(grown))
  test(`no pod gets more than the bound and the estimate count: ${what}`, () => {
    const before = measuredRequest({ messages });
    for (const engine of engines)
      for (const policy of systemPolicies) {
        const after = measuredRequest(engineInput({ messages }, policy, profiles[engine]));
        assert.ok(
          after.promptBound <= before.promptBound,
          `${engine}, ${policy}: ${after.promptBound} is over the bound`,
        );
        // The estimate is a middle figure, also of an id.
        assert.ok(after.promptEstimate <= 1.1 * before.promptEstimate, `${engine}, ${policy}: ${after.promptEstimate}`);
      }
  });
