/** The checker itself reads a good stream and finds each fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChatStream } from './chat-stream-checker.ts';

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const ROLE = chunk({ role: 'assistant', content: '' });
const STOP = chunk({}, 'stop');
const DONE = 'data: [DONE]\n\n';
const ERROR = frame({ error: { message: 'm', type: 't', param: null, code: 'c' } });
const open = (index: number, id: string) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: '' } }] });

const good = `: queued\n: queued\n${ROLE}${chunk({ content: 'a' })}: generating\n${chunk({ content: 'b' })}${STOP}${DONE}`;

test('a good stream is read whole', () => {
  const { text, comments, finishReason, usage, error } = checkChatStream(good);
  assert.deepEqual([text, comments, finishReason, usage, error], ['ab', 3, 'stop', null, null]);
});

test('a stream may fail before or after output', () => {
  assert.equal(checkChatStream(`: queued\n${ERROR}`).error?.code, 'c');
  assert.equal(checkChatStream(ROLE + ERROR).error?.code, 'c');
});

const faults: [string, string][] = [
  ['ends early', ROLE],
  ['ends within a frame', `${ROLE}data: {`],
  ['is empty', ''],
  ['has an empty line after a comment', `: queued\n\n${ROLE}${STOP}${DONE}`],
  ['has a comment within a frame', `data: {}\n: queued\n\n`],
  ['names its events', `event: x\n${ROLE}`],
  ['has no role', chunk({ content: 'a' })],
  ['sends the role twice', ROLE + ROLE],
  ['goes on after the finish', ROLE + STOP + chunk({ content: 'a' })],
  ['finishes for an unknown reason', ROLE + chunk({}, 'bored')],
  ['is done before the finish', ROLE + DONE],
  ['goes on after [DONE]', ROLE + STOP + DONE + DONE],
  ['is done after an error', ERROR + DONE],
  ['has an error after the finish', ROLE + STOP + ERROR],
  ['changes its id', ROLE + frame({ ...head, id: 'other', choices: [] })],
  ['promises usage and sends none', chunk({ role: 'assistant' }, 'stop', { usage: null }) + DONE],
  [
    'sends usage without a finish',
    chunk({ role: 'assistant' }, null, { usage: null }) + frame({ ...head, choices: [], usage: {} }),
  ],
  ['has the key usage in some chunks only', ROLE + chunk({}, 'stop', { usage: null })],
  [
    'sends a fragment of a call that is not open',
    ROLE + chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
  ],
  ['skips a call index', ROLE + open(1, 'a')],
  ['opens a call twice', ROLE + open(0, 'a') + open(0, 'a')],
  ['gives two calls the same id', ROLE + open(0, 'a') + open(1, 'a')],
];
for (const [what, text] of faults)
  test(`a stream that ${what} is refused`, () => {
    assert.throws(() => checkChatStream(text), { name: 'AssertionError' });
  });
