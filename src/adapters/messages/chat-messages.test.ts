import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NESTING_MAX } from '#base/bounds.ts';
import { Fault } from '#base/fault.ts';
import { requestBodies } from '#generated/validators.js';
import { validated } from '#testing/conforming.ts';
import { chatMessages } from './chat-messages.ts';

const read = (body: object) => chatMessages(validated(requestBodies.countMessageTokens, body));

const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...more });
const use = (id: string, input?: unknown) => ({ type: 'tool_use', id, name: 'look', input });
const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'look', arguments: args } });

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
const photo = { type: 'image', source: { type: 'url', url: 'https://a.example/b.jpg' }, cache_control: {} };
const chatImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
const chatPhoto = { type: 'image_url', image_url: { url: 'https://a.example/b.jpg' } };

/** [what, the turns, the chat messages] */
const turns: [string, unknown[], object[]][] = [
  ['a string is the content', [user('Hi')], [user('Hi')]],
  ['one text block is its text', [user([text('Hi', { cache_control: {}, citations: [] })])], [user('Hi')]],
  ['several text blocks are lines', [user([text('Hi'), text('you')])], [user('Hi\nyou')]],
  ['no block is an empty message', [user([])], [user('')]],
  [
    'a system message stays where it stands',
    [user('a'), { role: 'system', content: [text('b'), text('c')] }, { role: 'system', content: 'd' }],
    [user('a'), { role: 'system', content: 'b\n\nc' }, { role: 'system', content: 'd' }],
  ],
  [
    'results come first, one message each, in their order, then the text',
    [user([text('and'), result('t1', { content: 'one' }), result('t2', { content: 'two' }), text('now?')])],
    [
      { role: 'tool', tool_call_id: 't1', content: 'one' },
      { role: 'tool', tool_call_id: 't2', content: 'two' },
      user('and\nnow?'),
    ],
  ],
  [
    'a turn of results alone has no user message',
    [user([result('t1', { content: 'x', cache_control: {} }), text('')])],
    [{ role: 'tool', tool_call_id: 't1', content: 'x' }],
  ],
  ['a result without content is empty', [user([result('t1')])], [{ role: 'tool', tool_call_id: 't1', content: '' }]],
  [
    'a result in blocks is lines, and a reference to a tool its name',
    [user([result('t1', { content: [text('a'), { type: 'tool_reference', tool_name: 'find' }, text('b')] })])],
    [{ role: 'tool', tool_call_id: 't1', content: 'a\nTool loaded: find\nb' }],
  ],
  [
    'a result that is an error says so',
    [user([result('t1', { content: 'gone', is_error: true }), result('t2', { content: 'there', is_error: false })])],
    [
      { role: 'tool', tool_call_id: 't1', content: 'Error: gone' },
      { role: 'tool', tool_call_id: 't2', content: 'there' },
    ],
  ],
  [
    'images are parts beside the text, in their order, and empty text is left out',
    [user([text('a'), image, text(''), photo, text('b')])],
    [user([text('a'), chatImage, chatPhoto, text('b')])],
  ],
  [
    'images in results are shown at the start of the turn, after the texts of all results',
    [user([result('t1', { content: [text('x'), image] }), text('See?'), result('t2', { content: [photo] }), image])],
    [
      { role: 'tool', tool_call_id: 't1', content: 'x' },
      { role: 'tool', tool_call_id: 't2', content: '' },
      user([chatImage, chatPhoto, text('See?'), chatImage]),
    ],
  ],
  [
    'an image in a result is shown without any text too',
    [user([result('t1', { content: [image] })])],
    [{ role: 'tool', tool_call_id: 't1', content: '' }, user([chatImage])],
  ],
  [
    'thinking is resent as reasoning without its signature, redacted thinking not at all',
    [
      assistant([
        { type: 'thinking', thinking: 'Hm', signature: 'abc' },
        { type: 'redacted_thinking', data: 'xyz' },
        text('It '),
        text('is.'),
      ]),
    ],
    [{ role: 'assistant', content: 'It is.', reasoning_content: 'Hm' }],
  ],
  [
    'calls are tool calls with their input as text, and content is null beside them',
    [assistant([use('t1', { a: [1] }), use('t2')])],
    [{ role: 'assistant', content: null, tool_calls: [call('t1', '{"a":[1]}'), call('t2', '{}')] }],
  ],
  [
    'text beside calls stays',
    [assistant([text('Looking.'), use('t1', {})])],
    [{ role: 'assistant', content: 'Looking.', tool_calls: [call('t1', '{}')] }],
  ],
  ['an answer begun for the model is passed on', [user('Hi'), assistant('It')], [user('Hi'), { ...assistant('It') }]],
];
for (const [what, messages, expected] of turns)
  test(what, () => {
    assert.deepEqual(read({ messages }), expected);
  });

test('system is the first message, its blocks joined with a blank line; an empty one is none', () => {
  const messages = [user('Hi')];
  assert.deepEqual(read({ system: 'S', messages })[0], { role: 'system', content: 'S' });
  assert.deepEqual(read({ system: [text('a', { cache_control: {} }), text('b')], messages })[0], {
    role: 'system',
    content: 'a\n\nb',
  });
  for (const system of ['', [], null, undefined]) assert.deepEqual(read({ system, messages }), messages);
});

const shown = (source: unknown) => ({ messages: [user([text('a'), { type: 'image', source }])] });
const place = 'messages[0].content[1].source';
const deep = JSON.parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`);
const refusals: [string, string, object][] = [
  ['no messages', 'messages', {}],
  ['messages that are no list', 'messages', { messages: 'Hi' }],
  ['a message that is no object', 'messages[0]', { messages: ['Hi'] }],
  ['a role nobody knows', 'messages[1].role', { messages: [user('a'), { role: 'tool', content: '' }] }],
  ['no role', 'messages[0].role', { messages: [{ content: 'a' }] }],
  ['no content', 'messages[0].content', { messages: [{ role: 'user' }] }],
  ['content that is an object', 'messages[0].content', { messages: [user({ text: 'a' })] }],
  ['a block that is no object', 'messages[0].content[0]', { messages: [user(['a'])] }],
  ['a block without a type', 'messages[0].content[1]', { messages: [user([text('a'), { text: 'b' }])] }],
  ['text that is none', 'messages[0].content[0].text', { messages: [user([{ type: 'text', text: 5 }])] }],
  ['an image without a source', place, shown(undefined)],
  ['an image of the vendor’s file store', place, shown({ type: 'file', file_id: 'f' })],
  ['an image that is none', `${place}.media_type`, shown({ ...image.source, media_type: 'application/pdf' })],
  [
    'an image of several types',
    `${place}.media_type`,
    shown({ ...image.source, media_type: 'image/png;a=b,image/gif' }),
  ],
  ['an image without data', `${place}.data`, shown({ ...image.source, data: '' })],
  ['an image with other data', `${place}.data`, shown({ ...image.source, data: [1] })],
  ['an image on the disk of the model', `${place}.url`, shown({ type: 'url', url: 'file:///etc/passwd' })],
  ['an image without an address', `${place}.url`, shown({ type: 'url' })],
  ['an image of the assistant', 'messages[0].content[0]', { messages: [assistant([image])] }],
  ['a document', 'messages[0].content[0]', { messages: [user([{ type: 'document' }])] }],
  [
    'a document in a result',
    'messages[0].content[0].content[1]',
    { messages: [user([result('t', { content: [image, { type: 'document' }] })])] },
  ],
  [
    'a result that names no call',
    'messages[0].content[0].tool_use_id',
    { messages: [user([{ type: 'tool_result' }])] },
  ],
  ['a call of the user', 'messages[0].content[0]', { messages: [user([use('t')])] }],
  ['a result of the assistant', 'messages[0].content[0]', { messages: [assistant([result('t')])] }],
  ['a call of a hosted tool', 'messages[0].content[0]', { messages: [assistant([{ type: 'server_tool_use' }])] }],
  ['a call without an id', 'messages[0].content[0].id', { messages: [assistant([{ type: 'tool_use', name: 'a' }])] }],
  ['a call without a name', 'messages[0].content[0].name', { messages: [assistant([{ type: 'tool_use', id: 'a' }])] }],
  ['an input that is no object', 'messages[0].content[0].input', { messages: [assistant([use('t', [1])])] }],
  ['thinking that is none', 'messages[0].content[0].thinking', { messages: [assistant([{ type: 'thinking' }])] }],
  ['an image in the system prompt', 'system[0]', { system: [image], messages: [user('a')] }],
  ['a system prompt that is a number', 'system', { system: 5, messages: [user('a')] }],
];
for (const [what, param, body] of refusals)
  test(`${what} is refused, naming ${param}`, () => {
    assert.throws(
      () => read(body),
      (error) => error instanceof Fault && error.code === 'invalid_request' && error.param === param,
    );
  });

test('an input nested too deeply is refused instead of overflowing the stack', () => {
  assert.throws(() => read({ messages: [assistant([use('t', deep)])] }), {
    message: new RegExp(`deeper than ${NESTING_MAX}`),
  });
});
