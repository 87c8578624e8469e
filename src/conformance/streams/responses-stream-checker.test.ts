/** The checker itself reads a good stream and finds each fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkResponsesStream } from './responses-stream-checker.ts';

type Event = Record<string, unknown> & { type: string };

const NOTHING = { completed_at: null, error: null, incomplete_details: null, usage: null };
const response = (status: string, output: object[] = [], more: object = {}) => ({
  ...{ id: 'resp_1', object: 'response', status, output, ...NOTHING },
  ...more,
});
const item = (text: string, status: string) => ({ id: 'msg_1', type: 'message', status, content: [part(text)] });
const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const AT = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const CREATED = { type: 'response.created', response: response('in_progress') };
const IN_PROGRESS = { type: 'response.in_progress', response: response('in_progress') };
const ADDED = {
  type: 'response.output_item.added',
  output_index: 0,
  item: { ...item('', 'in_progress'), content: [] },
};
const PART = { type: 'response.content_part.added', ...AT, part: part('') };
const delta = (text: string) => ({ type: 'response.output_text.delta', ...AT, delta: text, logprobs: [] });
const SIGN = { type: 'response.in_progress', response: response('in_progress', [item('a', 'in_progress')]) };
const DONE = { type: 'response.output_text.done', ...AT, text: 'ab', logprobs: [] };
const PART_DONE = { type: 'response.content_part.done', ...AT, part: part('ab') };
const ITEM_DONE = { type: 'response.output_item.done', output_index: 0, item: item('ab', 'completed') };
const ENDED = { completed_at: 1, usage: { input_tokens: 1 } };
const COMPLETED = { type: 'response.completed', response: response('completed', [item('ab', 'completed')], ENDED) };
const FAILED = { type: 'response.failed', response: response('failed', [], { error: { code: 'c', message: 'm' } }) };

const GOOD: readonly Event[] = [
  ...[CREATED, IN_PROGRESS, ADDED, PART, delta('a'), SIGN, delta('b'), DONE, PART_DONE, ITEM_DONE, COMPLETED],
];
const frame = (event: Event, number: number) =>
  `event: ${event.type}\ndata: ${JSON.stringify({ sequence_number: number, ...event })}\n\n`;
const written = (events: readonly Event[]) => `: queued\n${events.map(frame).join('')}`;
const without = (...left: Event[]) => GOOD.filter((event) => !left.includes(event));
const instead = (event: Event, changed: object) =>
  GOOD.map((each) => (each === event ? { ...each, ...changed } : each));

test('a good stream is read whole', () => {
  const { id, comments, signsOfLife, status, output, usage } = checkResponsesStream(written(GOOD));
  assert.deepEqual([id, comments, signsOfLife, status], ['resp_1', 1, 1, 'completed']);
  assert.deepEqual([output, usage], [[item('ab', 'completed')], { input_tokens: 1 }]);
});

test('a stream may fail before output', () => {
  assert.deepEqual(checkResponsesStream(written([CREATED, IN_PROGRESS, FAILED])).error, { code: 'c', message: 'm' });
});

const faults: [string, string][] = [
  ['is empty', ''],
  ['ends early', written(GOOD.slice(0, -1))],
  ['has no event lines', written(GOOD).replaceAll(/^event: .*\n/gm, '')],
  ['has an event name that differs from its type', written(GOOD).replace('event: response.created', 'event: x')],
  ['skips a number', written(GOOD).replace('"sequence_number":5', '"sequence_number":6')],
  ['ends with [DONE]', `${written(GOOD)}data: [DONE]\n\n`],
  ['has a comment after the end', `${written(GOOD)}: bye\n`],
  ['has an unknown event', written([...GOOD.slice(0, 2), { type: 'response.queue' }, ...GOOD.slice(2)])],
  ['does not open with response.created', written(without(CREATED))],
  ['is created twice', written([CREATED, CREATED, ...GOOD.slice(2)])],
  ['does not begin with response.in_progress after that', written(without(IN_PROGRESS))],
  ['lacks a key', written(instead(DONE, { logprobs: undefined }))],
  ['has an additional key', written(instead(DONE, { delta: 'x' }))],
  ['changes the id of the response', written(instead(SIGN, { response: { ...SIGN.response, id: 'other' } }))],
  ['changes an echo', written(instead(SIGN, { response: { ...SIGN.response, object: 'other' } }))],
  ['changes the id of an item', written(instead(PART, { item_id: 'other' }))],
  ['begins with item 1', written(instead(ADDED, { output_index: 1 }))],
  ['adds an item that is done', written(instead(ADDED, { item: { ...ADDED.item, status: 'completed' } }))],
  ['adds an item with content', written(instead(ADDED, { item: item('', 'in_progress') }))],
  ['has no part before its text', written(without(PART))],
  ['does not close its text', written(without(DONE))],
  ['does not close its part', written(without(PART_DONE))],
  ['does not close its item', written(without(ITEM_DONE))],
  ['writes after its text is done', written([...GOOD.slice(0, 8), delta('c'), ...GOOD.slice(8)])],
  ['has an empty delta', written([...GOOD.slice(0, 4), delta(''), ...GOOD.slice(4)])],
  ['sums its deltas up wrongly', written(instead(DONE, { text: 'abc' }))],
  ['sends a sign of life without the output so far', written(instead(SIGN, { response: response('in_progress') }))],
  [
    'ends with other output than it streamed',
    written(instead(COMPLETED, { response: response('completed', [], ENDED) })),
  ],
  ['ends well without usage', written(instead(COMPLETED, { response: { ...COMPLETED.response, usage: null } }))],
  [
    'says in_progress at its end',
    written(instead(COMPLETED, { response: { ...COMPLETED.response, status: 'in_progress' } })),
  ],
  ['fails without an error', written([CREATED, IN_PROGRESS, { ...FAILED, response: response('failed') }])],
  ['writes arguments into a message', written(instead(DONE, { type: 'response.function_call_arguments.done' }))],
];
for (const [what, text] of faults)
  test(`a stream that ${what} is refused`, () => {
    assert.throws(() => checkResponsesStream(text), { name: 'AssertionError' });
  });
