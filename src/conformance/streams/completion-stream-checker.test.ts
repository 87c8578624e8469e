/** The checker itself reads a good stream and finds each fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCompletionStream } from './chat-stream-checker.ts';

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' };
const chunk = (text: string, finish: string | null = null, more: object = {}) =>
  frame({ ...head, choices: [{ index: 0, text, finish_reason: finish, logprobs: null }], ...more });
const STOP = chunk('', 'stop');
const DONE = 'data: [DONE]\n\n';
const ERROR = frame({ error: { message: 'm', type: 't', param: null, code: 'c' } });

const good = `: queued\n${chunk('a')}: generating\n${chunk('b')}${STOP}${DONE}`;

test('a good stream is read whole', () => {
  const { text, comments, finishReason, usage, error } = checkCompletionStream(good);
  assert.deepEqual([text, comments, finishReason, usage, error], ['ab', 2, 'stop', null, null]);
});

test('a stream may fail before or after output', () => {
  assert.equal(checkCompletionStream(`: queued\n${ERROR}`).error?.code, 'c');
  assert.equal(checkCompletionStream(chunk('a') + ERROR).error?.code, 'c');
});

const faults: [string, string][] = [
  ['ends early', chunk('a')],
  ['ends within a frame', `${chunk('a')}data: {}\n`],
  ['ends within a line', `${chunk('a')}data: {`],
  ['is empty', ''],
  ['has an empty line after a comment', `: queued\n\n${STOP}${DONE}`],
  ['has a comment within a frame', `data: {}\n: queued\n\n`],
  ['has a frame of two lines', `data: {}\ndata: {}\n\n`],
  ['has a line of another kind', `id: 5\n${STOP}${DONE}`],
  ['names its events', `event: x\n${STOP}${DONE}`],
  ['has a chunk without text', chunk('') + STOP + DONE],
  ['has text in its finish', chunk('a', 'stop') + DONE],
  ['goes on after the finish', STOP + chunk('a')],
  ['finishes for an unknown reason', chunk('', 'tool_calls')],
  ['is done before the finish', chunk('a') + DONE],
  ['goes on after [DONE]', STOP + DONE + DONE],
  ['has a comment after [DONE]', `${STOP}${DONE}: bye\n`],
  ['is done after an error', ERROR + DONE],
  ['has an error after the finish', STOP + ERROR],
  ['changes its id', chunk('a') + chunk('b', null, { id: 'other' })],
  ['has another object', chunk('a', null, { object: 'chat.completion.chunk' })],
  ['promises usage and sends none', chunk('', 'stop', { usage: null }) + DONE],
  ['sends usage without a finish', chunk('a', null, { usage: null }) + frame({ ...head, choices: [], usage: {} })],
  ['has the key usage in some chunks only', chunk('a') + chunk('', 'stop', { usage: null })],
];
for (const [what, text] of faults)
  test(`a stream that ${what} is refused`, () => {
    assert.throws(() => checkCompletionStream(text), { name: 'AssertionError' });
  });
