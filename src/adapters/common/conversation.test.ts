import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { modelInput, NO_OUTPUT } from './conversation.ts';

const paired = (messages: object[]) => modelInput({ messages }, null).body.messages;

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const note = { role: 'developer', content: 'Be brief.' };
const call = (id: string, name = 'look', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calls = (...made: object[]) => ({ role: 'assistant', content: null, tool_calls: made });
const output = (id: string, content: unknown = `of ${id}`) => ({ role: 'tool', tool_call_id: id, content });
const none = (id: string) => output(id, NO_OUTPUT);

/** [what, what a client sends, what a pod gets] */
const conversations: [string, object[], object[]][] = [
  [
    'a note between a call and its output follows the output',
    [user(), calls(call('a')), note, output('a')],
    [user(), calls(call('a')), output('a'), note],
  ],
  [
    'a user message between two outputs follows both',
    [calls(call('a'), call('b')), output('a'), user('?'), output('b')],
    [calls(call('a'), call('b')), output('a'), output('b'), user('?')],
  ],
  [
    'outputs come in the order of their calls',
    [calls(call('a'), call('b')), output('b'), output('a')],
    [calls(call('a'), call('b')), output('a'), output('b')],
  ],
  [
    'outputs of two messages in a row come behind their own',
    [calls(call('a')), calls(call('b')), output('a'), output('b')],
    [calls(call('a')), output('a'), calls(call('b')), output('b')],
  ],
  ['an output before its call comes behind it', [output('a'), calls(call('a'))], [calls(call('a')), output('a')]],
  [
    'a call that was never answered has an output that says so',
    [calls(call('a'), call('b')), output('b'), user('Stop.'), calls(call('c'))],
    [calls(call('a'), call('b')), none('a'), output('b'), user('Stop.'), calls(call('c')), none('c')],
  ],
  [
    'an output of no call is the user’s text, behind the calls that it was among',
    [calls(call('a')), output('x'), output('a'), { ...output('y', null), name: 'look' }],
    [calls(call('a')), output('a'), user('Output of a tool:\nof x'), user('Output of the tool look:\n')],
  ],
  [
    'an output of no call keeps its parts',
    [output('x', [{ type: 'image_url', image_url: { url: 'data:' } }])],
    [
      user([
        { type: 'text', text: 'Output of a tool:' },
        { type: 'image_url', image_url: { url: 'data:' } },
      ]),
    ],
  ],
  [
    'a second output of a call is the user’s text',
    [calls(call('a')), output('a'), output('a', 'again'), calls(call('a'))],
    [calls(call('a')), output('a'), user('Output of a tool:\nagain'), calls(call('a')), none('a')],
  ],
  [
    'an id may come again in a later message',
    [calls(call('a')), calls(call('a')), output('a', 'new'), user(), calls(call('a')), output('a', 'last')],
    [calls(call('a')), none('a'), calls(call('a')), output('a', 'new'), user(), calls(call('a')), output('a', 'last')],
  ],
  [
    'an id that one message has twice is made two, and the outputs follow in their order',
    [calls(call('a'), call('a', 'find'), call('a_1')), output('a', 'one'), output('a', 'two'), output('a_1')],
    [
      calls(call('a'), call('a_1', 'find'), call('a_1_2')),
      output('a', 'one'),
      output('a_1', 'two'),
      output('a_1_2', 'of a_1'),
    ],
  ],
  [
    'calls and outputs without ids belong together by name, else by order',
    [
      calls({ function: { name: 'look', arguments: '{}' } }, { id: '', function: { name: 'find', arguments: '{}' } }),
      { role: 'tool', name: 'find', content: 'found' },
      { role: 'tool', content: 'seen' },
    ],
    [
      calls(
        { id: 'call_0', function: { name: 'look', arguments: '{}' } },
        { id: 'call_1', function: { name: 'find', arguments: '{}' } },
      ),
      output('call_0', 'seen'),
      { ...output('call_1', 'found'), name: 'find' },
    ],
  ],
  [
    'an output without an id belongs to no later call',
    [{ role: 'tool', content: 'seen' }, user(), calls(call('a'))],
    [user('Output of a tool:\nseen'), user(), calls(call('a')), none('a')],
  ],
  [
    'half a character in the JSON of arguments is replaced, in text it stays as it was escaped',
    [calls(call('a', 'look', '{"at":"\\ud83d"}')), output('a', '{"at":"\\ud83d"}')],
    [calls(call('a', 'look', '{"at":"\\ufffd"}')), output('a', '{"at":"\\ud83d"}')],
  ],
  [
    'arguments are JSON in a text, also when they were sent as an object, empty or not at all',
    [
      calls(
        ...[{ at: 'sea' }, '', null, undefined].map((sent, index) => ({
          id: `${index}`,
          function: { name: 'look', arguments: sent },
        })),
      ),
    ],
    [
      calls(
        ...['{"at":"sea"}', '{}', '{}', '{}'].map((text, index) => ({
          id: `${index}`,
          function: { name: 'look', arguments: text },
        })),
      ),
      ...['0', '1', '2', '3'].map(none),
    ],
  ],
  [
    'other fields stay, and calls of other types',
    [
      { ...calls({ id: 'a', type: 'custom', custom: { name: 'x', input: 'y' } }), x: 1 },
      { ...output('a'), y: 2 },
    ],
    [
      { ...calls({ id: 'a', type: 'custom', custom: { name: 'x', input: 'y' } }), x: 1 },
      { ...output('a'), y: 2 },
    ],
  ],
];
for (const [what, sent, got] of conversations)
  test(what, () => {
    assert.deepEqual(paired(sent), got);
    // What was put in order stays as it is, and begins the same way when more follows.
    assert.deepEqual(paired(got), got);
    assert.deepEqual(paired([...sent, user('More.')]), [...got, user('More.')]);
  });

test('messages without tools are the same list', () => {
  const messages = [note, user(), { role: 'assistant', content: 'Calm.', tool_calls: null }];
  assert.equal(paired(messages), messages);
});

test('what was added is measured', () => {
  const messages = [calls(call('a'))];
  const bound = modelInput({ messages: [...messages, none('a')] }, null).promptBound;
  assert.equal(modelInput({ messages }, null).promptBound, bound);
});

test('as many calls as a body has room for take no long time', () => {
  const many = Array.from({ length: 12_000 }, (_, index) => call(index % 2 === 0 ? 'a' : `${index}`));
  const outputs = [...many, ...many].map(({ id }) => output(id));
  const got = paired([calls(...many), user(), ...outputs]) as { role: string }[];
  assert.deepEqual([got[1]?.role, got[12_000]?.role, got[12_001]?.role], ['tool', 'tool', 'user']);
  assert.equal(got.length, 24_002);
});

for (const [what, outputName] of [
  ['with the name of no call', 'z'],
  ['with the name of the calls', 'look'],
  ['without a name', undefined],
] as const)
  test(`the work for outputs without an id, ${what}, grows with their number and not with its square`, ({ mock }) => {
    const lookups = (count: number) => {
      const made = Array.from({ length: count }, () => call('', 'look'));
      const outputs = made.map(() => ({ role: 'tool', name: outputName, content: 'seen' }));
      const methods = [mock.method(Map.prototype, 'has'), mock.method(Map.prototype, 'get')];
      const got = paired([calls(...made), ...outputs]) as object[];
      for (const { mock: method } of methods) method.restore();
      assert.equal(got.length, 1 + count + (outputName === 'z' ? count : 0));
      return methods.reduce((sum, { mock: method }) => sum + method.callCount(), 0);
    };
    assert.ok(lookups(400) < 10 * 400);
  });

const id = fc.constantFrom('a', 'b', 'a_1', '', undefined);
const anyCall = fc.record({ id, function: fc.record({ name: fc.constantFrom('look', 'find') }) });
const anyMessage = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content: fc.uuid() }),
  fc.record({ role: fc.constant('assistant'), content: fc.uuid(), tool_calls: fc.array(anyCall, { maxLength: 3 }) }),
  fc.record({
    ...{ role: fc.constant('tool'), content: fc.uuid(), tool_call_id: id },
    name: fc.constantFrom('look', 'find', undefined),
  }),
);

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

test('whatever a client sends, each call has one output right behind it, and nothing is lost or moved besides outputs', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (sent) => {
      const got = paired(sent) as Message[];
      const waiting: string[] = [];
      for (const { role, tool_calls: made, tool_call_id: answers } of got) {
        assert.equal(role === 'tool', waiting.length > 0);
        if (role === 'tool') assert.equal(answers, waiting.shift());
        const ids = made?.map((one) => one.id) ?? [];
        assert.ok(ids.every((one, index) => one !== '' && ids.indexOf(one) === index));
        waiting.push(...ids);
      }
      assert.deepEqual(waiting, []);
      const said = got.map(({ content }) => content).join('\n');
      for (const { content } of sent) assert.equal(said.split(content).length, 2);
      const others = sent.filter(({ role }) => role !== 'tool').map(({ content }) => content);
      assert.deepEqual(
        got.map(({ content }) => content).filter((content) => others.includes(content)),
        others,
      );
      assert.deepEqual(paired(got), got);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});
