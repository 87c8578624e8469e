import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { chatMessages } from './conversation.ts';

const text = (said: string) => ({ type: 'input_text', text: said });
const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
const chatImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const user = (content: unknown) => ({ role: 'user', content });
const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'look', arguments: '{}' });
const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const output = (id: string, said: unknown) => ({ type: 'function_call_output', call_id: id, output: said });
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const reasoning = (said: string) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  content: [{ type: 'reasoning_text', text: said }],
  encrypted_content: null,
});
const assistant = (said: string) => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: said, annotations: [], logprobs: [] }],
});

/** [what, input, messages] */
const conversations: [string, unknown, object[]][] = [
  ['a string is one user message', 'Hi', [user('Hi')]],
  ['an item without a type is a message', [{ role: 'user', content: 'Hi' }], [user('Hi')]],
  ['parts of text are one string', [{ type: 'message', role: 'user', content: [text('a'), text('b')] }], [user('ab')]],
  [
    'a developer speaks as the system, where it stands',
    [
      { role: 'user', content: 'a' },
      { role: 'developer', content: [text('b')] },
      { role: 'system', content: 'c' },
    ],
    [user('a'), { role: 'system', content: 'b' }, { role: 'system', content: 'c' }],
  ],
  [
    'images stand beside text',
    [{ role: 'user', content: [text('a'), image, text('b')] }],
    [user([{ type: 'text', text: 'a' }, chatImage, { type: 'text', text: 'b' }])],
  ],
  [
    'an image may be on the web, and have a detail that chat knows',
    [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b.png', detail: 'high' }] }],
    [user([{ type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } }])],
  ],
  [
    'a detail that chat does not know is dropped',
    [{ role: 'user', content: [{ ...image, file_id: null, detail: 'original' }] }],
    [user([chatImage])],
  ],
  [
    'a refusal is what the assistant said',
    [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
    [{ role: 'assistant', content: 'No.' }],
  ],
  [
    'two messages of the assistant stay two',
    [assistant('a'), assistant('b')],
    [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  ],
  [
    'calls in a row are one message',
    [call('a'), call('b')],
    [{ role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] }],
  ],
  [
    'calls right after a message are a part of it',
    [assistant('Looking.'), call('a')],
    [{ role: 'assistant', content: 'Looking.', tool_calls: [chatCall('a')] }],
  ],
  [
    'text after calls belongs to their message: results have to follow it',
    [assistant('a'), call('a'), assistant('b')],
    [{ role: 'assistant', content: 'ab', tool_calls: [chatCall('a')] }],
  ],
  [
    'reasoning goes with the message that follows',
    [reasoning('Hmm.'), assistant('a')],
    [{ role: 'assistant', content: 'a', reasoning_content: 'Hmm.' }],
  ],
  [
    'reasoning goes with the calls that follow',
    [reasoning('Hmm.'), call('a')],
    [{ role: 'assistant', content: null, reasoning_content: 'Hmm.', tool_calls: [chatCall('a')] }],
  ],
  [
    'late reasoning belongs to the same turn',
    [assistant('a'), reasoning('Hmm.'), call('a')],
    [{ role: 'assistant', content: 'a', reasoning_content: 'Hmm.', tool_calls: [chatCall('a')] }],
  ],
  ['reasoning that led to nothing is left out', [reasoning('Hmm.'), { role: 'user', content: 'a' }], [user('a')]],
  [
    'a summary and what is encrypted are no reasoning',
    [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'x' }, assistant('a')],
    [{ role: 'assistant', content: 'a' }],
  ],
  [
    'results are messages of their own, and the next turn begins after them',
    [call('a'), call('b'), output('a', 'sun'), output('b', 'rain'), assistant('Mixed.'), call('c'), output('c', '')],
    [
      { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
      result('a', 'sun'),
      result('b', 'rain'),
      { role: 'assistant', content: 'Mixed.', tool_calls: [chatCall('c')] },
      result('c', ''),
    ],
  ],
  [
    'a call of a custom tool is one of the function that stands for it',
    [
      {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'a',
        name: 'patch',
        input: '*** "Begin"\n',
        status: 'completed',
      },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'Done.' },
    ],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'patch', arguments: '{"input":"*** \\"Begin\\"\\n"}' } },
        ],
      },
      result('a', 'Done.'),
    ],
  ],
  ['a result of parts is its text, line by line', [output('a', [text('x'), text('y')])], [result('a', 'x\ny')]],
  [
    'images in results are shown after all the results',
    [call('a'), call('b'), output('a', [text('x'), image]), output('b', [image]), assistant('Nice.')],
    [
      { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
      result('a', 'x'),
      result('b', ''),
      user([chatImage, chatImage]),
      { role: 'assistant', content: 'Nice.' },
    ],
  ],
  [
    'an output without a call id is the user’s text, with its name',
    [
      { type: 'function_call_output', name: 'look', output: 'sun' },
      { type: 'function_call_output', name: 'look', call_id: '', output: 'rain' },
    ],
    [user('Output of the tool look:\nsun'), user('Output of the tool look:\nrain')],
  ],
  [
    'an output without a call id keeps its images',
    [{ type: 'function_call_output', call_id: null, name: 'look', output: [text('x'), image] }],
    [user([{ type: 'text', text: 'Output of the tool look:' }, { type: 'text', text: 'x' }, chatImage])],
  ],
  ['images in the last results are shown too', [output('a', [image])], [result('a', ''), user([chatImage])]],
];
for (const [what, input, messages] of conversations)
  test(what, () => {
    assert.deepEqual(chatMessages({ input }), messages);
  });

/** [instructions, messages before the input] */
const instructed: [unknown, object[]][] = [
  ['Be brief.', [{ role: 'system', content: 'Be brief.' }]],
  ['', []],
  [null, []],
  [
    [{ role: 'developer', content: 'Be brief.' }, assistant('Yes.')],
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'Yes.' },
    ],
  ],
];
// Spec 4.4-7
for (const [instructions, before] of instructed)
  test(`instructions ${JSON.stringify(instructions)} come before the input`, () => {
    assert.deepEqual(chatMessages({ instructions, input: 'Hi' }), [...before, user('Hi')]);
  });

/** [what, input, place] */
const refused: [unknown, string][] = [
  [undefined, 'input'],
  [null, 'input'],
  [5, 'input'],
  [[], 'input'],
  [['Hi'], 'input[0]'],
  [[{ role: 'tool', content: 'x' }], 'input[0].role'],
  [[{ content: 'x' }], 'input[0].role'],
  [[{ role: 'user' }], 'input[0].content'],
  [[{ role: 'user', content: ['x'] }], 'input[0].content[0]'],
  [[{ role: 'user', content: [{ type: 'input_text' }] }], 'input[0].content[0].text'],
  [[{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }], 'input[0].content[0]'],
  [[{ role: 'user', content: [{ type: 'input_audio', data: 'x' }] }], 'input[0].content[0]'],
  [[{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }], 'input[0].content[0].file_id'],
  [[{ role: 'user', content: [{ type: 'input_image' }] }], 'input[0].content[0].image_url'],
  [[{ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc' }] }], 'input[0].content[0].image_url'],
  [[{ role: 'system', content: [image] }], 'input[0].content[0]'],
  [[{ role: 'assistant', content: [text('a'), image] }], 'input[0].content[1]'],
  [[{ type: 'item_reference', id: 'msg_1' }], 'input[0]'],
  [[{ type: 'web_search_call', id: 'ws_1' }], 'input[0]'],
  [[{ type: 'local_shell_call' }], 'input[0]'],
  [[{ type: 'custom_tool_call', call_id: 'a', name: 'patch' }], 'input[0].input'],
  [[{ type: 'custom_tool_call', call_id: 'a', input: 'x' }], 'input[0].name'],
  [[{ type: 'custom_tool_call_output', output: 'x' }], 'input[0].call_id'],
  [[{ type: 'compaction' }], 'input[0]'],
  [[{ type: 5 }], 'input[0]'],
  [[{ ...call('a'), call_id: 5 }], 'input[0].call_id'],
  [[{ ...call('a'), name: undefined }], 'input[0].name'],
  [[{ ...call('a'), arguments: {} }], 'input[0].arguments'],
  [[output('a', undefined)], 'input[0].output'],
  [[output('a', [{ type: 'input_file' }])], 'input[0].output[0]'],
  [[{ type: 'function_call_output', output: 'x' }], 'input[0].call_id'],
  [[{ type: 'function_call_output', name: '', output: 'x' }], 'input[0].call_id'],
  [[{ type: 'function_call_output', name: 'look', call_id: 5, output: 'x' }], 'input[0].call_id'],
  [[{ type: 'function_call_output', name: 'look' }], 'input[0].output'],
  [[{ type: 'reasoning', content: 'x' }], 'input[0].content'],
  [[{ type: 'reasoning', content: ['x'] }], 'input[0].content[0]'],
  [[{ type: 'reasoning', content: [{ type: 'reasoning_text' }] }], 'input[0].content[0].text'],
];
for (const [input, place] of refused)
  test(`input ${JSON.stringify(input)?.slice(0, 80)} is refused at ${place}`, () => {
    assert.throws(
      () => chatMessages({ input }),
      (error) => error instanceof Fault && error.code === 'invalid_request' && error.param === place,
    );
  });

for (const instructions of [5, {}, []])
  test(`instructions ${JSON.stringify(instructions)} are refused`, () => {
    assert.throws(() => chatMessages({ instructions, input: 'Hi' }), Fault);
  });
