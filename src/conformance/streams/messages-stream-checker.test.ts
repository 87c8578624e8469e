/** The checker itself reads a good stream and finds each fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMessagesStream } from './messages-stream-checker.ts';

const frame = (type: string, more: object = {}, event = type) =>
  `event: ${event}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const counts = {
  input_tokens: 1,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: counts };
const START = frame('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
const PING = frame('ping');
const open = (index: number, block: object) => frame('content_block_start', { index, content_block: block });
const delta = (index: number, type: string, fields: object) =>
  frame('content_block_delta', { index, delta: { type, ...fields } });
const close = (index: number) => frame('content_block_stop', { index });
const TEXT = open(0, { type: 'text', text: '' });
const SAYS = delta(0, 'text_delta', { text: 'a' });
const THINKING = { type: 'thinking', thinking: '', signature: '' };
const tool = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const json = (index: number, partial_json: string) => delta(index, 'input_json_delta', { partial_json });
const accounted = (stop_reason = 'end_turn', stop_sequence: string | null = null, usage: object = { x_market: {} }) =>
  frame('message_delta', { delta: { stop_reason, stop_sequence }, usage: { ...counts, ...usage } });
const STOP = frame('message_stop');
const ERROR = frame('error', { error: { type: 'api_error', message: 'm', code: 'c' }, request_id: 'r' });
const END = accounted() + STOP;

const good = [
  START + PING,
  open(0, THINKING) + delta(0, 'thinking_delta', { thinking: 'Hm' }) + PING,
  delta(0, 'signature_delta', { signature: 's' }) + close(0),
  open(1, { type: 'text', text: '' }) + delta(1, 'text_delta', { text: 'a' }) + delta(1, 'text_delta', { text: 'b' }),
  close(1) + open(2, tool('t1')) + json(2, '{"a"') + json(2, ':1}') + close(2),
  accounted('tool_use') + STOP,
].join('');

test('a good stream is read whole', () => {
  const { id, pings, content, stopReason, error } = checkMessagesStream(good);
  assert.deepEqual([id, pings, stopReason, error], ['msg_1', 2, 'tool_use', null]);
  assert.deepEqual(content, [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'text', text: 'ab' },
    { type: 'tool_use', id: 't1', name: 'look', input: { a: 1 } },
  ]);
});

test('a stream may fail before, within and after a block', () => {
  for (const text of [
    START,
    START + TEXT + SAYS,
    START + TEXT + SAYS + close(0),
    START + open(0, tool('t')) + json(0, '{'),
  ])
    assert.deepEqual(
      [checkMessagesStream(text + ERROR).error?.code, checkMessagesStream(text + ERROR).requestId],
      ['c', 'r'],
    );
});

test('an input that the output cap cut short reads as null', () => {
  const cut = START + open(0, tool('t')) + json(0, '{"a') + close(0) + accounted('max_tokens') + STOP;
  assert.deepEqual(checkMessagesStream(cut).content, [{ type: 'tool_use', id: 't', name: 'look', input: null }]);
});

const faults: [string, string][] = [
  ['is empty', ''],
  ['ends early', START],
  ['ends within a frame', `${START}event: ping\n`],
  ['does not name an event', `${START}data: {"type":"ping"}\n\n${END}`],
  ['has an event name that differs from its type', START + frame('ping', {}, 'message_stop') + END],
  ['has a comment', `: queued\n${START}${END}`],
  ['has a bare empty line', `\n${START}${END}`],
  ['begins with something else', PING + START + END],
  ['begins twice', START + START + END],
  ['begins with content', frame('message_start', { message: { ...message, content: [{}] } }) + END],
  ['begins without counts', frame('message_start', { message: { ...message, usage: {} } }) + END],
  ['has an unknown event', START + frame('message_pause') + END],
  ['skips a number', START + open(1, { type: 'text', text: '' }) + close(1) + END],
  ['opens a block within another', START + TEXT + open(1, THINKING) + END],
  ['leaves a block open', START + TEXT + SAYS + END],
  ['closes a block twice', START + TEXT + SAYS + close(0) + close(0) + END],
  ['extends a closed block', START + TEXT + close(0) + SAYS + END],
  ['opens a block with text in it', START + open(0, { type: 'text', text: 'a' }) + close(0) + END],
  ['thinks within text', START + TEXT + delta(0, 'thinking_delta', { thinking: 'x' }) + close(0) + END],
  ['has no signature', START + open(0, THINKING) + close(0) + END],
  [
    'goes on after the signature',
    START +
      open(0, THINKING) +
      delta(0, 'signature_delta', { signature: 's' }) +
      delta(0, 'thinking_delta', { thinking: 'x' }) +
      close(0) +
      END,
  ],
  [
    'has an input that is not JSON',
    START + open(0, tool('t')) + json(0, '{"a') + close(0) + accounted('tool_use') + STOP,
  ],
  [
    'has an input that is not an object',
    START + open(0, tool('t')) + json(0, '[]') + close(0) + accounted('tool_use') + STOP,
  ],
  [
    'gives two calls the same id',
    START + open(0, tool('t')) + json(0, '{}') + close(0) + open(1, tool('t')) + json(1, '{}') + close(1) + END,
  ],
  ['stops for an unknown reason', START + accounted('bored') + STOP],
  ['names a stop sequence that was not hit', START + accounted('end_turn', 'END') + STOP],
  [
    'has no receipt',
    START + frame('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: counts }) + STOP,
  ],
  ['stops before its message_delta', START + STOP],
  ['goes on after message_delta', START + accounted() + TEXT + close(0) + STOP],
  ['goes on after the end', START + END + PING],
  ['goes on after an error', START + ERROR + PING],
  ['fails after message_delta', START + accounted() + ERROR],
];
for (const [what, text] of faults)
  test(`a stream that ${what} is refused`, () => {
    assert.throws(() => checkMessagesStream(text), { name: 'AssertionError' });
  });
